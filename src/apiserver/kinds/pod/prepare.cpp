/// Preparation of a pod spec between defaulting and validation: members that belong to switched-off
/// features go, label keys of the pod enter its selectors, and the quality of service is told.
#include "kinds/pod/amounts.h"
#include "kinds/pod/annotations.h"
#include "kinds/pod/pod.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

constexpr std::string_view kContainerLists[] = {"initContainers", "containers",
                                                "ephemeralContainers"};

bool any_container(const Value* spec, bool (*has)(const Value& container)) {
  if (spec == nullptr) return false;
  for (std::string_view list : kContainerLists) {
    const auto& containers = model::array_at(*spec, {list});
    if (std::any_of(containers.begin(), containers.end(), has)) return true;
  }
  return false;
}

template <class Visit>
void each_container_of(Value& spec, Visit visit) {
  for (std::string_view list : kContainerLists)
    each_element(spec, list, [&](Value& container) { visit(container, list == "initContainers"); });
}

bool has_restart_rules(const Value& container) {
  return !model::array_at(container, {"restartPolicyRules"}).empty();
}
bool has_stop_signal(const Value& container) {
  return model::find(container, {"lifecycle", "stopSignal"}) != nullptr;
}
bool has_env_file(const Value& container) {
  const auto& env = model::array_at(container, {"env"});
  return std::any_of(env.begin(), env.end(), [](const Value& v) {
    return model::find(v, {"valueFrom", "fileKeyRef"}) != nullptr;
  });
}

bool any_volume(const Value* spec, std::string_view source) {
  if (spec == nullptr) return false;
  const auto& volumes = model::array_at(*spec, {"volumes"});
  return std::any_of(volumes.begin(), volumes.end(),
                     [&](const Value& volume) { return model::find(volume, {source}) != nullptr; });
}

bool any_projection(const Value* spec, std::string_view source) {
  if (spec == nullptr) return false;
  for (const Value& volume : model::array_at(*spec, {"volumes"}))
    for (const Value& each : model::array_at(volume, {"projected", "sources"}))
      if (model::find(each, {source}) != nullptr) return true;
  return false;
}

/// Null for a text that names none.
Value app_armor_profile(std::string_view annotation) {
  constexpr std::string_view kLocal = "localhost/";
  if (annotation == "runtime/default") return model::Object{{"type", "RuntimeDefault"}};
  if (annotation == "unconfined") return model::Object{{"type", "Unconfined"}};
  if (annotation.starts_with(kLocal) && annotation.size() > kLocal.size())
    return model::Object{{"type", "Localhost"},
                         {"localhostProfile", annotation.substr(kLocal.size())}};
  return nullptr;
}

void drop_restart_rules(Value& container, bool init) {
  model::erase(container, {"restartPolicyRules"});
  if (!init || model::string_at(container, {"restartPolicy"}) != "Always")
    model::erase(container, {"restartPolicy"});
}

void drop_stop_signal(Value& container) {
  if (!has_stop_signal(container)) return;
  model::erase(container, {"lifecycle", "stopSignal"});
  if (model::object_at(container, {"lifecycle"}).empty()) model::erase(container, {"lifecycle"});
}

void drop_image_volumes(Value& spec) {
  std::vector<std::string> names;
  auto gone = [&](const Value& mount) {
    return std::find(names.begin(), names.end(), model::string_at(mount, {"name"})) != names.end();
  };
  auto filter = [](Value& owner, std::string_view list, const auto& unwanted) {
    Value* found = model::find(owner, {list});
    if (found == nullptr || !found->is_array()) return;
    model::Array kept;
    for (const Value& each : found->get_array())
      if (!unwanted(each)) kept.push_back(each);
    if (kept.empty())
      model::erase(owner, {list});
    else
      *found = std::move(kept);
  };
  filter(spec, "volumes", [&](const Value& volume) {
    if (model::find(volume, {"image"}) == nullptr) return false;
    names.emplace_back(model::string_at(volume, {"name"}));
    return true;
  });
  if (!names.empty())
    each_container_of(spec,
                      [&](Value& container, bool) { filter(container, "volumeMounts", gone); });
}

void drop_projection(Value& spec, std::string_view source) {
  each_element(spec, "volumes", [&](Value& volume) {
    if (Value* projected = model::find(volume, {"projected"}))
      each_element(*projected, "sources", [&](Value& each) { model::erase(each, {source}); });
  });
}

void add_positive(Amounts& sum, const Value* list) {
  if (list == nullptr) return;
  for (const auto& [name, amount] : amounts_of(*list)) {
    if ((name != "cpu" && name != "memory") || !(amount > model::Quantity())) continue;
    auto [found, inserted] = sum.emplace(name, amount);
    if (!inserted) found->second = found->second + amount;
  }
}

bool limits_both(const Value* limits) {
  Amounts positive;
  add_positive(positive, limits);
  return positive.size() == 2;
}

}  // namespace

void drop_gated_fields(Value& spec, const Value* old_spec) {
  align_service_account(spec);
  if (!any_container(old_spec, has_restart_rules)) each_container_of(spec, drop_restart_rules);
  if (!any_container(old_spec, has_stop_signal))
    each_container_of(spec, [](Value& container, bool) { drop_stop_signal(container); });
  if (!any_container(old_spec, has_env_file))
    each_container_of(spec, [](Value& container, bool) {
      each_element(container, "env", [](Value& v) {
        model::erase(v, {"valueFrom", "fileKeyRef"});
      });
    });
  if (!any_volume(old_spec, "image")) drop_image_volumes(spec);
  for (std::string_view source : {"clusterTrustBundle", "podCertificate"})
    if (!any_projection(old_spec, source)) drop_projection(spec, source);
  if (old_spec == nullptr || model::find(*old_spec, {"hostnameOverride"}) == nullptr)
    model::erase(spec, {"hostnameOverride"});
}

void drop_gated_template_fields(Value& holder, const Value* old_holder) {
  if (Value* spec = model::find(holder, {"template", "spec"}))
    drop_gated_fields(
        *spec, old_holder == nullptr ? nullptr : model::find(*old_holder, {"template", "spec"}));
}

void take_app_armor_annotations(Value& pod) {
  Value* spec = model::find(pod, {"spec"});
  if (spec == nullptr || model::string_at(*spec, {"os", "name"}) == "windows") return;
  const Value* own = model::find(*spec, {"securityContext", "appArmorProfile"});
  const Value of_pod = own != nullptr ? *own : Value();
  each_container_of(*spec, [&](Value& container, bool) {
    const std::string key = fmt::format("{}{}", kAppArmor, model::string_at(container, {"name"}));
    const Value profile =
        app_armor_profile(model::string_at(pod, {"metadata", "annotations", key}));
    const Value* said = model::find(container, {"securityContext", "appArmorProfile"});
    const bool is_said = said != nullptr && !said->is_null();
    if (!profile.is_null() && !is_said && !model::equal(profile, of_pod))
      model::ensure_object(container, {"securityContext"})["appArmorProfile"] = profile;
  });
}

std::string_view quality_of_service(const Value& spec) {
  Amounts requests;
  Amounts limits;
  bool guaranteed = true;
  if (const Value* own = model::find(spec, {"resources"})) {
    add_positive(requests, model::find(*own, {"requests"}));
    add_positive(limits, model::find(*own, {"limits"}));
    if (!model::object_at(*own, {"limits"}).empty())
      guaranteed = limits_both(model::find(*own, {"limits"}));
  } else {
    for (std::string_view list : {"containers", "initContainers"})
      for (const Value& container : model::array_at(spec, {list})) {
        add_positive(requests, model::find(container, {"resources", "requests"}));
        add_positive(limits, model::find(container, {"resources", "limits"}));
        if (!limits_both(model::find(container, {"resources", "limits"}))) guaranteed = false;
      }
  }
  if (requests.empty() && limits.empty()) return "BestEffort";
  return guaranteed && requests == limits ? "Guaranteed" : "Burstable";
}

}  // namespace holdfast::apiserver::pod
