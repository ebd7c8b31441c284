#include "kinds/field_labels.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver {
namespace {

// A few labels are computed rather than read.
std::string special(const Resource& resource, const model::Value& object, std::string_view field) {
  if (resource.kind == "Job" && field == "status.successful")
    return std::to_string(model::int_at(object, {"status", "succeeded"}, 0));
  if (resource.kind == "Event" && field == "source") {
    const std::string_view component = model::string_at(object, {"source", "component"});
    return std::string(component.empty() ? model::string_at(object, {"reportingComponent"})
                                         : component);
  }
  if (resource.kind == "Pod" && field == "status.podIPs") {
    std::vector<std::string> addresses;
    for (const model::Value& each : model::array_at(object, {"status", "podIPs"}))
      addresses.emplace_back(model::string_at(each, {"ip"}));
    return join(addresses, ",");
  }
  return {};
}

bool is_boolean(const Resource& resource, std::string_view field) {
  return (resource.kind == "Node" && field == "spec.unschedulable") ||
         (resource.kind == "Pod" && field == "spec.hostNetwork");
}

std::string scalar_text(const model::Value& value) {
  if (value.is_string()) return std::string(model::view(value.get_string()));
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  if (value.is_number()) return model::to_json(value);
  return {};
}

}  // namespace

bool is_field_label(const Resource& resource, std::string_view field) {
  if (field == "metadata.name") return true;
  if (field == "metadata.namespace") return resource.namespaced || resource.is_custom() == false;
  return std::find(resource.selectable_fields.begin(), resource.selectable_fields.end(), field) !=
         resource.selectable_fields.end();
}

std::string unsupported_field_label(const Resource& resource, std::string_view field) {
  if (resource.is_custom()) return fmt::format("field label not supported: {}", field);
  const bool own_words = !resource.selectable_fields.empty() && resource.kind != "Secret" &&
                         resource.kind != "Service";
  if (own_words) return fmt::format("field label not supported: {}", field);
  return fmt::format(
      "\"{}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
      field);
}

std::string field_label(const Resource& resource, const model::Value& object,
                        std::string_view field) {
  std::string computed = special(resource, object, field);
  if (!computed.empty()) return computed;
  const model::Value* at = &object;
  for (const std::string_view part : split(field, '.')) {
    at = at->is_object() ? at->get_object().if_contains(part) : nullptr;
    if (at == nullptr) return is_boolean(resource, field) ? "false" : "";
  }
  return scalar_text(*at);
}

}  // namespace holdfast::apiserver
