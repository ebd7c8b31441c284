#include <holdfast/control/conditions.h>
#include <holdfast/model/fields.h>
#include <holdfast/model/time.h>

#include <algorithm>

namespace holdfast::control {

namespace {

std::string_view type_of(const model::Value& condition) {
  return model::string_at(condition, {"type"});
}

/// Members that we do not know, as lastProbeTime, stay as they are.
void write_condition(model::Object& into, const model::Condition& wanted) {
  into["type"] = wanted.type;
  into["status"] = wanted.status;
  if (wanted.observed_generation > 0) into["observedGeneration"] = wanted.observed_generation;
  into["lastTransitionTime"] = wanted.last_transition_time;
  into["reason"] = wanted.reason;
  into["message"] = wanted.message;
}

model::Condition read_condition(const model::Value& condition) {
  auto text = [&](std::string_view name) {
    return std::string(model::string_at(condition, {name}));
  };
  return {.type = text("type"),
          .status = text("status"),
          .reason = text("reason"),
          .message = text("message"),
          .last_transition_time = text("lastTransitionTime"),
          .observed_generation = model::int_at(condition, {"observedGeneration"}, 0)};
}

Write write_finalizers(const kube::Resource& resource, const kube::Cached& seen,
                       const std::vector<std::string>& finalizers) {
  model::Array list;
  for (const auto& finalizer : finalizers) list.emplace_back(finalizer);
  model::Value merge;
  model::ensure_object(merge, {"metadata"})["finalizers"] = std::move(list);
  return patch(resource, seen, std::move(merge), Decides::Yes);
}

}  // namespace

bool set_condition(model::Value& object, const model::Condition& wanted, WallTime now) {
  auto& status = model::ensure_object(object, {"status"});
  auto& slot = status["conditions"];
  if (!slot.is_array()) slot = model::Array{};
  auto& conditions = slot.as_array();
  auto at = std::find_if(conditions.begin(), conditions.end(),
                         [&](const auto& each) { return type_of(each) == wanted.type; });
  model::Condition before = at == conditions.end() ? model::Condition{} : read_condition(*at);
  model::Condition after = wanted;
  bool turned = before.status != wanted.status;
  after.last_transition_time = turned ? model::to_rfc3339(now) : before.last_transition_time;
  if (at == conditions.end()) at = conditions.insert(conditions.end(), model::Object{});
  write_condition(at->as_object(), after);
  return turned || before.reason != wanted.reason || before.message != wanted.message ||
         (wanted.observed_generation > 0 &&
          before.observed_generation != wanted.observed_generation);
}

std::optional<model::Condition> find_condition(const model::Value& object, std::string_view type) {
  for (const auto& condition : model::array_at(object, {"status", "conditions"}))
    if (type_of(condition) == type) return read_condition(condition);
  return {};
}

bool has_finalizer(const kube::Cached& object, std::string_view finalizer) {
  auto finalizers = object.meta().finalizers;
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

Write add_finalizer(const kube::Resource& resource, const kube::Cached& seen,
                    std::string_view finalizer) {
  auto finalizers = seen.meta().finalizers;
  if (std::find(finalizers.begin(), finalizers.end(), finalizer) == finalizers.end())
    finalizers.emplace_back(finalizer);
  return write_finalizers(resource, seen, finalizers);
}

Write drop_finalizer(const kube::Resource& resource, const kube::Cached& seen,
                     std::string_view finalizer) {
  auto finalizers = seen.meta().finalizers;
  std::erase(finalizers, finalizer);
  return write_finalizers(resource, seen, finalizers);
}

}  // namespace holdfast::control
