#include "admission/pod_in.h"

namespace holdfast::apiserver {
namespace {

const model::Value kEmpty = model::Object();

const model::Value* holder_of(const model::Value& object, std::string_view kind) {
  if (kind == "Pod") return &object;
  if (kind == "PodTemplate") return model::find(object, {"template"});
  if (kind == "CronJob") return model::find(object, {"spec", "jobTemplate", "spec", "template"});
  // What a StatefulSet goes back to is made from here.
  if (kind == "ControllerRevision") return model::find(object, {"data", "spec", "template"});
  for (const std::string_view each :
       {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "ReplicationController"})
    if (kind == each) return model::find(object, {"spec", "template"});
  return nullptr;
}

const model::Value* or_empty(const model::Value* part) { return part != nullptr ? part : &kEmpty; }

PodIn parts_of(const model::Value& holder, bool is_template) {
  return {.metadata = or_empty(model::find(holder, {"metadata"})),
          .spec = or_empty(model::find(holder, {"spec"})),
          .is_template = is_template};
}

}  // namespace

PodIn pod_of(const model::Value& pod) { return parts_of(pod, false); }

std::optional<PodIn> pod_in(const model::Value& object, const Resource& resource) {
  if (resource.is_custom()) return std::nullopt;
  const model::Value* holder = holder_of(object, resource.kind);
  if (holder == nullptr || !holder->is_object()) return std::nullopt;
  return parts_of(*holder, holder != &object);
}

}  // namespace holdfast::apiserver
