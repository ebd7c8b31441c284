/// Requests and limits.
#include "kinds/core/resources.h"
#include "kinds/pod/amounts.h"
#include "kinds/pod/pod.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::pod {

using model::Quantity;
using model::Value;

namespace {

void check_pod_resource_name(std::string_view name, const Place& entry) {
  if (core::check_resource_name(name, entry) && !is_pod_level(name))
    entry.unsupported(Value(name), {"cpu", "hugepages-", "memory"});
}

void check_amount(std::string_view name, const Quantity& amount, const Place& entry) {
  core::check_amount(name, entry);
  if (!is_huge_page(name)) return;
  auto page = Quantity::parse(name.substr(std::string_view("hugepages-").size()));
  if (!page || !(*page > Quantity()) || page->milli_value() % 1000 != 0 ||
      amount.value() % page->value() != 0)
    entry.invalid(fmt::format("{} is not positive integer multiple of {}", amount.text(), name));
}

using NameCheck = void (*)(std::string_view name, const Place& entry);

Amounts check_list(const Place& list, NameCheck check_name) {
  Amounts amounts = amounts_of(list.value());
  list.each_entry([&](std::string_view name, const Place& entry) {
    check_name(name, entry);
    const auto found = amounts.find(name);
    if (found != amounts.end()) check_amount(name, found->second, entry);
  });
  return amounts;
}

void check_request_fits(std::string_view name, const Quantity& request, const Amounts& limits,
                        const Place& resources) {
  const auto limit = limits.find(name);
  const Place requests = resources["requests"];
  if (limit == limits.end()) {
    if (!overcommit_allowed(name))
      resources["limits"].required("Limit must be set for non overcommitable resources");
  } else if (request != limit->second && !overcommit_allowed(name)) {
    requests.invalid(Value(request.text()),
                     fmt::format("must be equal to {} limit of {}", name, limit->second.text()));
  } else if (request > limit->second) {
    requests.invalid(
        Value(request.text()),
        fmt::format("must be less than or equal to {} limit of {}", name, limit->second.text()));
  }
}

bool has_huge_pages(const Amounts& amounts) {
  return std::any_of(amounts.begin(), amounts.end(),
                     [](const auto& each) { return is_huge_page(each.first); });
}

void check_claim_names(const Place& claims, const Surroundings& around) {
  std::set<std::string, std::less<>> seen;
  claims.each([&](const Place& claim) {
    const std::string_view name = claim["name"].text();
    if (name.empty()) return claim.required();
    const std::string_view request = claim["request"].text();
    if (!request.empty()) claim["request"].dns_label();
    const std::string key =
        request.empty() ? std::string(name) : fmt::format("{}/{}", name, request);
    const bool whole = seen.contains(name);
    if (whole || !seen.insert(key).second) claim.duplicate(Value(whole ? std::string(name) : key));
    if (around.claims.contains(name)) return;
    model::FieldError error = model::not_found_field(claim.path(), Value(name));
    error.detail = "must be one of the names in pod.spec.resourceClaims";
    if (around.claims.empty()) error.detail += " which is empty";
    std::string_view separator = ": ";
    for (const std::string& known : around.claims) {
      error.detail.append(separator).append(known);
      separator = ", ";
    }
    claim.errors().push_back(std::move(error));
  });
}

void check_requirements(const Place& resources, NameCheck check_name, const Surroundings& around) {
  const Amounts limits = check_list(resources["limits"], check_name);
  const Place requests = resources["requests"];
  const Amounts requested = amounts_of(requests.value());
  requests.each_entry([&](std::string_view name, const Place& entry) {
    check_name(name, entry);
    const auto found = requested.find(name);
    if (found == requested.end()) return;
    check_amount(name, found->second, entry);
    check_request_fits(name, found->second, limits, resources);
  });
  const auto computes = [](const Amounts& of) {
    return of.contains("cpu") || of.contains("memory");
  };
  if (!computes(limits) && !computes(requested) &&
      (has_huge_pages(limits) || has_huge_pages(requested)))
    resources.forbidden("HugePages require cpu or memory");
  check_claim_names(resources["claims"], around);
}

void check_pod_covers_containers(const Place& spec, const Place& resources) {
  const Amounts requests = amounts_of(resources["requests"].value());
  const Amounts limits = amounts_of(resources["limits"].value());
  for (const auto& [name, needed] : aggregate_containers(spec.value(), "requests")) {
    const auto own = requests.find(name);
    if (own != requests.end() && needed > own->second)
      resources["requests"].entry(name).invalid(fmt::format(
          "must be greater than or equal to aggregate container requests of {}", needed.text()));
  }
  for (const auto& [name, needed] : aggregate_containers(spec.value(), "limits")) {
    const auto own = limits.find(name);
    if (is_huge_page(name) && own != limits.end() && needed > own->second)
      resources["limits"].entry(name).invalid(fmt::format(
          "must be greater than or equal to aggregate container limits of {}", needed.text()));
  }
  spec["containers"].each([&](const Place& container) {
    for (const auto& [name, limit] : amounts_of(container["resources"]["limits"].value())) {
      const auto own = limits.find(name);
      if (own == limits.end() || !(limit > own->second)) continue;
      // The real server writes the container's path below the pod's resources.
      const std::string index = container.path().substr(spec.path().size() + 1);
      const std::string path =
          model::child(model::key(model::child(resources.path(), index), name), "limits");
      container.as(path).invalid(
          Value(limit.text()),
          fmt::format("must be less than or equal to pod limits of {}", own->second.text()));
    }
  });
}

}  // namespace

void check_container_resources(const Place& resources, const Surroundings& around) {
  check_requirements(resources, core::check_container_resource_name, around);
}

void check_overhead(const Place& overhead, const Surroundings& around) {
  if (!overhead.present()) return;
  const Value wrapped = model::Object{{"limits", overhead.value()}};
  check_requirements(Place(&wrapped, overhead.path(), overhead.errors()),
                     core::check_container_resource_name, around);
}

void check_pod_level_resources(const Place& spec, const Surroundings& around) {
  const Place resources = spec["resources"];
  if (!resources.present()) return;
  if (around.os == "windows") return resources.forbidden("may not be set for a windows pod");
  if (resources["claims"].present())
    resources["claims"].forbidden("claims may not be set for Resources at pod-level");
  check_requirements(resources, check_pod_resource_name, around);
  check_pod_covers_containers(spec, resources);
}

}  // namespace holdfast::apiserver::pod
