#include "kinds/pod/amounts.h"

#include <holdfast/model/names.h>

namespace holdfast::apiserver::pod {

namespace {

void add(Amounts& sum, const Amounts& more) {
  for (const auto& [name, amount] : more) {
    auto [found, inserted] = sum.emplace(name, amount);
    if (!inserted) found->second = found->second + amount;
  }
}

void raise_to(Amounts& most, const Amounts& other) {
  for (const auto& [name, amount] : other) {
    auto [found, inserted] = most.emplace(name, amount);
    if (!inserted && found->second < amount) found->second = amount;
  }
}

}  // namespace

Amounts amounts_of(const model::Value& resource_list) {
  Amounts out;
  for (const auto& member : model::object_at(resource_list, {})) {
    auto amount = model::Quantity::parse(model::string_at(member.value(), {}));
    if (amount) out.emplace(std::string(member.key()), *amount);
  }
  return out;
}

Amounts aggregate_containers(const model::Value& pod_spec, std::string_view field) {
  Amounts together;
  for (const model::Value& container : model::array_at(pod_spec, {"containers"})) {
    const model::Value* list = model::find(container, {"resources", field});
    if (list != nullptr) add(together, amounts_of(*list));
  }
  Amounts sidecars;
  Amounts starting;
  for (const model::Value& container : model::array_at(pod_spec, {"initContainers"})) {
    const model::Value* list = model::find(container, {"resources", field});
    Amounts needed = list == nullptr ? Amounts() : amounts_of(*list);
    if (model::string_at(container, {"restartPolicy"}) == "Always") {
      add(together, needed);
      add(sidecars, needed);
      needed = sidecars;
    } else {
      add(needed, sidecars);
    }
    raise_to(starting, needed);
  }
  raise_to(together, starting);
  return together;
}

bool is_huge_page(std::string_view resource) { return resource.starts_with("hugepages-"); }

bool is_native(std::string_view resource) {
  return resource.find('/') == std::string_view::npos ||
         resource.find("kubernetes.io/") != std::string_view::npos;
}

bool overcommit_allowed(std::string_view resource) {
  return is_native(resource) && !is_huge_page(resource);
}

bool is_extended(std::string_view resource) {
  if (is_native(resource) || resource.starts_with("requests.")) return false;
  return model::check_qualified_name("requests." + std::string(resource)).empty();
}

bool is_pod_level(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || is_huge_page(resource);
}

}  // namespace holdfast::apiserver::pod
