/// IPAddress and ServiceCIDR: who holds which address of which range.
#include "kinds/addresses.h"
#include "kinds/go_struct.h"
#include "kinds/network/network.h"

namespace holdfast::apiserver::network {

using model::Value;

namespace {

model::Complaints check_address_name(std::string_view name) {
  model::FieldErrors errors;
  const Value text(name);
  check_strict_ip(Place(text, errors));
  model::Complaints out;
  for (model::FieldError& error : errors) out.push_back(std::move(error.detail));
  return out;
}

void check_segment(const Place& name) {
  if (name.need()) name.accept(model::check_path_segment(name.text()));
}

void validate_address(const Value& address, model::FieldErrors& errors) {
  const Place parent = Place(address, errors)["spec"]["parentRef"];
  if (!parent.present()) return parent.required();
  if (!parent["group"].empty()) parent["group"].dns_subdomain();
  check_segment(parent["resource"]);
  check_segment(parent["name"]);
  if (!parent["namespace"].empty())
    parent["namespace"].accept(model::check_path_segment(parent["namespace"].text()));
}

void validate_address_update(const Value& address, const Value& old, model::FieldErrors& errors) {
  validate_address(address, errors);
  const Place parent = Place(address, errors)["spec"]["parentRef"];
  const Value* before = model::find(old, {"spec", "parentRef"});
  if (!model::equal(parent.value(), before == nullptr ? Value() : *before))
    parent.invalid(go_pointer(parent.value(), {{"Group", "group"},
                                               {"Resource", "resource"},
                                               {"Namespace", "namespace"},
                                               {"Name", "name"}}),
                   "field is immutable");
}

void check_ranges(const Place& ranges) {
  const size_t count = ranges.items().size();
  if (count == 0) return ranges.required("at least one CIDR required");
  if (count > 2)
    return ranges.invalid(model::Object{{"CIDRs", ranges.value()}}, "may only hold up to 2 values");
  ranges.each(check_strict_cidr);
  if (count < 2) return;
  const auto first = parse_cidr(ranges.item(0).text());
  const auto second = parse_cidr(ranges.item(1).text());
  if (first && second && first->network.is_v4() == second->network.is_v4())
    ranges.invalid(
        "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64");
}

void validate_range(const Value& range, model::FieldErrors& errors) {
  check_ranges(Place(range, errors)["spec"]["cidrs"]);
}

void validate_range_update(const Value& range, const Value& old, model::FieldErrors& errors) {
  const Place ranges = Place(range, errors)["spec"]["cidrs"];
  const model::Array& before = model::array_at(old, {"spec", "cidrs"});
  const size_t count = ranges.items().size();
  if (before.size() != count && !(before.size() == 1 && count == 2))
    return ranges.invalid("field is immutable");
  for (size_t i = 0; i < before.size(); ++i) immutable(ranges.item(i), before[i]);
  if (before.size() != count) check_ranges(ranges);
}

}  // namespace

constinit const KindRules kIpAddress = {
    .group = "networking.k8s.io",
    .kind = "IPAddress",
    .validate = validate_address,
    .validate_update = validate_address_update,
    .name_rule = check_address_name,
};

constinit const KindRules kServiceCidr = {
    .group = "networking.k8s.io",
    .kind = "ServiceCIDR",
    .prepare_create = [](Value& range) { range.get_object()["status"] = model::Object(); },
    .validate = validate_range,
    .validate_update = validate_range_update,
};

}  // namespace holdfast::apiserver::network
