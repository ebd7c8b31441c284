/// Services: cluster IPs and address families, alone and across an update.
#include "kinds/addresses.h"
#include "kinds/core/service.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::core {

using model::Array;
using model::Value;

namespace {

constexpr std::string_view kKept = "may not change once set";

const Array& old_list(const Value& old, std::string_view name) {
  return model::array_at(old, {"spec", name});
}

void check_first_ip(const Place& spec) {
  const Place ips = spec["clusterIPs"];
  const std::string_view ip = spec["clusterIP"].text();
  if (ip.empty()) {
    if (!ips.empty()) ips.invalid("must be empty when `clusterIP` is not specified");
  } else if (ips.empty()) {
    ips.required();
  } else if (model::string_at(ips.items()[0], {}) != ip) {
    ips.invalid("first value must match `clusterIP`");
  }
}

void check_family_words(const Place& spec) {
  const Place families = spec["ipFamilies"];
  std::vector<std::string_view> seen;
  families.each([&](const Place& family) {
    family.one_of({"IPv4", "IPv6"});
    if (std::find(seen.begin(), seen.end(), family.text()) != seen.end()) family.duplicate();
    seen.push_back(family.text());
  });
  spec["ipFamilyPolicy"].one_of_if_present({"PreferDualStack", "RequireDualStack", "SingleStack"});
}

void check_ips_fit_families(const Place& spec) {
  const Array& families = spec["ipFamilies"].items();
  spec["clusterIPs"].each([&, i = size_t{0}](const Place& ip) mutable {
    if (i < families.size()) {
      const std::string_view family = model::string_at(families[i], {});
      if (family == "IPv4" && is_ipv6(ip.text()))
        ip.invalid(fmt::format("expected an IPv4 value as indicated by `ipFamilies[{}]`", i));
      if (family == "IPv6" && !is_ipv6(ip.text()))
        ip.invalid(fmt::format("expected an IPv6 value as indicated by `ipFamilies[{}]`", i));
    }
    ++i;
  });
}

bool either_is_external_name(const Place& spec, const Value& old) {
  return spec["type"].text() == "ExternalName" ||
         model::string_at(old, {"spec", "type"}) == "ExternalName";
}

bool headless(const Array& ips) { return ips.size() == 1 && ips[0] == Value("None"); }

/// The secondary entry of a list can go only with the policy that says so.
void check_single_stack(const Place& spec, std::string_view what) {
  if (spec["ipFamilyPolicy"].text() != "SingleStack")
    spec["ipFamilyPolicy"].invalid(
        fmt::format("must be set to 'SingleStack' when releasing the secondary {}", what));
}

}  // namespace

void check_cluster_ips(const Place& spec, const Value* old) {
  if (spec["type"].text() == "ExternalName") return;
  check_first_ip(spec);
  check_family_words(spec);
  const Place ips = spec["clusterIPs"];
  static const Array none;
  const Array& before = old == nullptr ? none : old_list(*old, "clusterIPs");
  const size_t count = ips.items().size();
  bool bad = false;
  for (size_t i = 0; i < count; ++i) {
    const Place ip = ips.item(i);
    if (i == 0 && ip.text() == "None") {
      if (count > 1) ips.invalid("'None' must be the first and only value");
      bad = bad || count > 1;
      continue;
    }
    const size_t errors = spec.errors().size();
    check_ip(ip, before);
    bad = bad || spec.errors().size() != errors;
  }
  if (count > 2) ips.invalid("may only hold up to 2 values");
  if (bad) return;
  if (count > 1 && (count > 2 || is_ipv6(ips.item(0).text()) == is_ipv6(ips.item(1).text())))
    ips.invalid("may specify no more than one IP for each IP family");
  if (!headless(ips.items())) check_ips_fit_families(spec);
}

void check_families_served(const Place& spec, const Value& service) {
  if (spec["type"].text() == "ExternalName") return;
  const size_t errors = spec.errors().size();
  const Place policy = spec["ipFamilyPolicy"];
  if (policy.text() == "SingleStack") {
    if (spec["clusterIPs"].items().size() == 2)
      policy.invalid(
          "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are "
          "specified");
    if (spec["ipFamilies"].items().size() == 2)
      policy.invalid(
          "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are "
          "specified");
  }
  const bool unselected =
      spec["clusterIP"].text() == "None" && model::object_at(service, {"spec", "selector"}).empty();
  if (spec.errors().size() != errors || unselected) return;
  if (policy.text() == "RequireDualStack")
    policy.invalid("this cluster is not configured for dual-stack services");
  spec["ipFamilies"].each([](const Place& family) {
    if (family.text() != "IPv4") family.invalid("not configured on this cluster");
  });
}

void check_cluster_ips_kept(const Place& spec, const Value& old) {
  const Place ips = spec["clusterIPs"];
  const Array& before = old_list(old, "clusterIPs");
  const Array& now = ips.items();
  if (either_is_external_name(spec, old) || (headless(before) && headless(now))) return;
  const auto at = [&](size_t i) { return ips.as(model::at(ips.path(), i)); };
  const auto invalid = [&](size_t i, std::string_view detail) {
    at(i).invalid(Value(now), std::string(detail));
  };
  if (before.size() == now.size()) {
    for (size_t i = 0; i < now.size(); ++i)
      if (before[i] != now[i]) invalid(i, kKept);
  } else if (before.size() > now.size()) {
    if (now.empty())
      at(0).invalid(Value(nullptr), "primary clusterIP can not be unset");
    else if (now[0] != before[0])
      invalid(0, kKept);
    if (now.size() == 1) check_single_stack(spec, "clusterIP");
  } else if (!before.empty() && now[0] != before[0]) {
    invalid(0, kKept);
  }
}

void check_families_kept(const Place& spec, const Value& old) {
  const Array& before = old_list(old, "ipFamilies");
  const Array& now = spec["ipFamilies"].items();
  const Array& ips = spec["clusterIPs"].items();
  if (either_is_external_name(spec, old) || headless(old_list(old, "clusterIPs")) || headless(ips))
    return;
  const Place first = spec["ipFamilies"].as("spec.ipFamilies[0]");
  if (before.size() == now.size()) {
    for (size_t i = 0; i < now.size(); ++i)
      if (before[i] != now[i]) first.invalid(Value(now), std::string(kKept));
    return;
  }
  if (!before.empty() && !now.empty() && now[0] != before[0])
    first.invalid(Value(ips), std::string(kKept));
  if (before.size() > now.size() && now.size() == 1) check_single_stack(spec, "ipFamily");
}

}  // namespace holdfast::apiserver::core
