// Cells of the core kinds that are neither workloads, network nor storage.
#include <holdfast/base/text.h>

#include "tables/cell_text.h"
#include "tables/printers.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::Value;

void config_map(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), count_at(object, {"data"}) + count_at(object, {"binaryData"}),
            age_of(object, now));
}

void namespaces(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), model::string_at(object, {"status", "phase"}),
            age_of(object, now));
}

void secret(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), model::string_at(object, {"type"}), count_at(object, {"data"}),
            age_of(object, now));
}

void service_account(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), count_at(object, {"secrets"}), age_of(object, now));
}

// A role stands in the label's key (node-role.kubernetes.io/worker) or in its value.
std::string node_roles(const Value& object) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::set<std::string> roles;
  for (const auto& label : model::object_at(object, {"metadata", "labels"})) {
    const std::string_view key(label.key().data(), label.key().size());
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size())
      roles.emplace(key.substr(kPrefix.size()));
    else if (key == "kubernetes.io/role" && label.value().is_string() &&
             !label.value().get_string().empty())
      roles.emplace(model::view(label.value().get_string()));
  }
  return roles.empty() ? "<none>" : join({roles.begin(), roles.end()}, ",");
}

std::string node_status(const Value& object) {
  std::string status = "Unknown";
  for (const Value& condition : model::array_at(object, {"status", "conditions"}))
    if (model::string_at(condition, {"type"}) == "Ready")
      status = model::string_at(condition, {"status"}) == "True" ? "Ready" : "NotReady";
  if (model::bool_at(object, {"spec", "unschedulable"}, false)) status += ",SchedulingDisabled";
  return status;
}

std::string_view node_address(const Value& object, std::string_view type) {
  for (const Value& address : model::array_at(object, {"status", "addresses"}))
    if (model::string_at(address, {"type"}) == type) return model::string_at(address, {"address"});
  return "<none>";
}

void node(const Value& object, WallTime now, Array& cells) {
  const auto info = [&](std::string_view field) {
    return filled_at(object, {"status", "nodeInfo", field}, "<unknown>");
  };
  add_cells(cells, name_of(object), node_status(object), node_roles(object), age_of(object, now),
            model::string_at(object, {"status", "nodeInfo", "kubeletVersion"}),
            node_address(object, "InternalIP"), node_address(object, "ExternalIP"), info("osImage"),
            info("kernelVersion"), info("containerRuntimeVersion"));
}

std::string event_source(const Value& object) {
  const std::string component(
      filled_at(object, {"source", "component"}, model::string_at(object, {"reportingComponent"})));
  const std::string_view instance =
      filled_at(object, {"source", "host"}, model::string_at(object, {"reportingInstance"}));
  return instance.empty() ? component : component + ", " + std::string(instance);
}

// Events come in two generations: with first and last timestamp and a count, or with one event time
// and a series that grows.
void event(const Value& object, WallTime now, Array& cells) {
  const std::string_view first =
      filled_at(object, {"firstTimestamp"}, model::string_at(object, {"eventTime"}));
  std::string_view last = filled_at(object, {"lastTimestamp"}, first);
  int64_t count = model::int_at(object, {"count"}, 0);
  const Value* series = model::find(object, {"series"});
  if (series != nullptr && series->is_object()) {
    last = model::string_at(*series, {"lastObservedTime"});
    count = model::int_at(*series, {"count"}, 0);
  } else if (count == 0) {
    count = 1;
  }
  std::string target = to_lower(model::string_at(object, {"involvedObject", "kind"}));
  const std::string_view involved = model::string_at(object, {"involvedObject", "name"});
  if (!involved.empty()) target += "/" + std::string(involved);
  add_cells(cells, age(last, now), model::string_at(object, {"type"}),
            model::string_at(object, {"reason"}), target,
            model::string_at(object, {"involvedObject", "fieldPath"}), event_source(object),
            trim(model::string_at(object, {"message"})), age(first, now), count, name_of(object));
}

void resource_quota(const Value& object, WallTime now, Array& cells) {
  std::map<std::string, std::string> sorted;
  for (const auto& hard : model::object_at(object, {"status", "hard"})) {
    const std::string_view resource(hard.key().data(), hard.key().size());
    sorted[std::string(resource)] = quantity_at(object, {"status", "used", resource}) + "/" +
                                    quantity_at(object, {"status", "hard", resource});
  }
  std::vector<std::string> requests, limits;
  for (const auto& [resource, amounts] : sorted)
    (resource.starts_with("limits.") ? limits : requests)
        .push_back(fmt::format("{}: {}", resource, amounts));
  add_cells(cells, name_of(object), join(requests, ", "), join(limits, ", "), age_of(object, now));
}

void lease(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), model::string_at(object, {"spec", "holderIdentity"}),
            age_of(object, now));
}

const std::vector<Column> kEventColumns = {{"Last Seen"},
                                           {"Type"},
                                           {"Reason"},
                                           {"Object"},
                                           wide_column("Subobject"),
                                           wide_column("Source"),
                                           {"Message"},
                                           wide_column("First Seen"),
                                           wide_column("Count"),
                                           {"Name", "string", "name", 1}};

}  // namespace

void add_core_printers(Printers& printers) {
  printers.push_back({"", "ConfigMap", {kNameColumn, {"Data"}, kAgeColumn}, config_map});
  printers.push_back({"", "Namespace", {kNameColumn, {"Status"}, kAgeColumn}, namespaces});
  printers.push_back({"", "Secret", {kNameColumn, {"Type"}, {"Data"}, kAgeColumn}, secret});
  printers.push_back(
      {"", "ServiceAccount", {kNameColumn, {"Secrets"}, kAgeColumn}, service_account});
  printers.push_back({"",
                      "Node",
                      {kNameColumn,
                       {"Status"},
                       {"Roles"},
                       kAgeColumn,
                       {"Version"},
                       wide_column("Internal-IP"),
                       wide_column("External-IP"),
                       wide_column("OS-Image"),
                       wide_column("Kernel-Version"),
                       wide_column("Container-Runtime")},
                      node});
  printers.push_back({"", "Event", kEventColumns, event});
  printers.push_back({"events.k8s.io", "Event", kEventColumns, event});
  printers.push_back(
      {"", "ResourceQuota", {kNameColumn, {"Request"}, {"Limit"}, kAgeColumn}, resource_quota});
  printers.push_back(
      {"coordination.k8s.io", "Lease", {kNameColumn, {"Holder"}, kAgeColumn}, lease});
}

}  // namespace holdfast::apiserver
