/// Node: what a kubelet says of its machine, and what may never change about it.
#include <holdfast/base/text.h>

#include "kinds/addresses.h"
#include "kinds/core/core.h"
#include "kinds/core/resources.h"
#include "kinds/go_struct.h"

#include <fmt/format.h>

#include <set>

namespace holdfast::apiserver::core {

using model::Value;

namespace {

/// podCIDR is the first of podCIDRs; capacity is allocatable until somebody says otherwise.
void set_defaults(Value& node) {
  Value& spec = object_member(node, "spec");
  const std::string range(model::string_at(spec, {"podCIDR"}));
  const model::Array ranges = model::array_at(spec, {"podCIDRs"});
  if (!range.empty() && ranges.empty()) spec.get_object()["podCIDRs"] = model::Array{Value(range)};
  if (range.empty() && !ranges.empty()) spec.get_object()["podCIDR"] = ranges[0];
  Value* status = model::find(node, {"status"});
  if (status == nullptr || model::find(*status, {"allocatable"}) != nullptr) return;
  if (const Value* capacity = model::find(*status, {"capacity"})) {
    Value copy = *capacity;
    status->get_object()["allocatable"] = std::move(copy);
  }
}

void prepare_create(Value& node) {
  model::erase(node, {"spec", "configSource"});
  model::erase(node, {"status", "config"});
}

void prepare_update(Value& node, const Value& old) {
  if (model::find(old, {"spec", "configSource"}) == nullptr)
    model::erase(node, {"spec", "configSource"});
}

Value shown_taint(const Value& taint) {
  return go_struct(taint, {{"Key", "key"},
                           {"Value", "value"},
                           {"Effect", "effect"},
                           {"TimeAdded", "timeAdded", Zero::Null}});
}

/// The real server looks for them under metadata.
void check_taints(const Place& node) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  node["spec"]["taints"].as("metadata.taints").each([&](const Place& taint) {
    taint["key"].qualified_name();
    const model::Complaints complaints = model::check_label_value(taint["value"].text());
    if (!complaints.empty()) taint["value"].invalid(join(complaints, ";"));
    taint["effect"].need_one_of({"NoSchedule", "PreferNoSchedule", "NoExecute"});
    if (seen.emplace(taint["effect"].text(), taint["key"].text()).second) return;
    model::FieldError error = model::duplicate_field(taint.path(), shown_taint(taint.value()));
    error.detail = "taints must be unique by key and effect pair";
    node.errors().push_back(std::move(error));
  });
}

void check_resources(const Place& node) {
  for (std::string_view list : {"capacity", "allocatable"}) {
    const Place amounts = node["status"][list];
    for (const auto& amount : amounts.members()) check_amount(amount.key(), amounts[amount.key()]);
  }
}

void check_ranges(const Place& ranges) {
  ranges.each([](const Place& range) { check_cidr(range, range.text()); });
  const size_t count = ranges.items().size();
  if (count < 2) return;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view text = ranges.item(i).text();
    if (parse_cidr(text)) continue;
    ranges.errors().push_back(
        {model::FieldError::Type::Internal, ranges.path(),
         fmt::format("invalid PodCIDRs. failed to check with dual stack with error:invalid "
                     "CIDR[{}]: <nil> (invalid CIDR address: {})",
                     i, text),
         nullptr});
    return ranges.invalid("may specify no more than one CIDR for each IP family");
  }
  const auto is_v6 = [&](size_t i) {
    return ranges.item(i).text().find(':') != std::string_view::npos;
  };
  if (count > 2 || is_v6(0) == is_v6(1))
    ranges.invalid("may specify no more than one CIDR for each IP family");
}

void check_node(const Place& node) {
  check_taints(node);
  check_resources(node);
  const Place swap = node["status"]["nodeInfo"]["swap"]["capacity"];
  if (swap.present()) swap.as("metadata.nodeSwapStatus.capacity").positive();
  check_ranges(node["spec"]["podCIDRs"]);
}

void validate(const Value& node, model::FieldErrors& errors) { check_node(Place(node, errors)); }

void check_addresses(const Place& node) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  node["status"]["addresses"].each([&](const Place& address) {
    if (!seen.emplace(address["type"].text(), address["address"].text()).second)
      address.duplicate(go_struct(address.value(), {{"Type", "type"}, {"Address", "address"}}));
  });
}

/// The main object and its status are held to the same here.
void check_update(const Place& node, const Value& old) {
  check_resources(node);
  check_addresses(node);
  const model::Array& before = model::array_at(old, {"spec", "podCIDRs"});
  const Place ranges = node["spec"]["podCIDRs"];
  const auto refuse = [&] {
    ranges.forbidden("node updates may not change podCIDR except from \"\" to valid");
  };
  if (!before.empty()) {
    if (before.size() != ranges.items().size()) {
      refuse();
    } else {
      for (size_t i = 0; i < before.size(); ++i)
        if (before[i] != ranges.items()[i]) refuse();
    }
  }
  const std::string_view provider = model::string_at(old, {"spec", "providerID"});
  if (!provider.empty() && provider != node["spec"]["providerID"].text())
    node["spec"]["providerID"].forbidden(
        "node updates may not change providerID except from \"\" to valid");
  check_taints(node);
  if (node["spec"]["externalID"].text() != model::string_at(old, {"spec", "externalID"}))
    node["spec"]["externalID"].forbidden("may not be updated");
}

void validate_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  check_node(Place(object, errors));
  check_update(Place(object, errors), old);
}

void validate_status(const Value& object, const Value& old, model::FieldErrors& errors) {
  check_update(Place(object, errors), old);
}

void warn(const Value& node, std::vector<std::string>& warnings) {
  if (model::find(node, {"spec", "configSource"}) != nullptr)
    warnings.push_back("spec.configSource: the feature is removed");
  if (!model::string_at(node, {"spec", "externalID"}).empty())
    warnings.push_back("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  const model::Array& ranges = model::array_at(node, {"spec", "podCIDRs"});
  for (size_t i = 0; i < ranges.size(); ++i)
    warn_about_cidr(model::at("spec.podCIDRs", i), model::string_at(ranges[i], {}), warnings);
}

}  // namespace

constinit const KindRules kNode = {
    .group = "",
    .kind = "Node",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
    .validate = validate,
    .validate_update = validate_update,
    .validate_status = validate_status,
    .warn = warn,
};

}  // namespace holdfast::apiserver::core
