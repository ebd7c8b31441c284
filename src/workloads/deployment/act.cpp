#include "deployment/act.h"

namespace holdfast::workloads::deployment {

using control::Write;
using model::Object;
using model::Value;

namespace {

void put_annotations(Value& object, const Annotations& annotations) {
  Object& metadata = model::ensure_object(object, {"metadata"});
  if (annotations.empty()) {
    metadata.erase("annotations");
    return;
  }
  Object out;
  for (const auto& [name, value] : annotations) out[name] = value;
  metadata["annotations"] = std::move(out);
}

}  // namespace

Write create_set(const Seen& seen, const std::string& name, int64_t replicas,
                 const Annotations& annotations) {
  Value pod_template = seen.wanted.pod_template;
  Object& labels = model::ensure_object(pod_template, {"metadata", "labels"});
  labels[kTemplateHash] = seen.next_hash;
  Value selector = seen.wanted.selector_value;
  model::ensure_object(selector, {"matchLabels"})[kTemplateHash] = seen.next_hash;
  Object spec{{"replicas", replicas}, {"selector", std::move(selector)}};
  if (seen.wanted.min_ready_seconds != 0) spec["minReadySeconds"] = seen.wanted.min_ready_seconds;
  Object metadata{{"name", name},
                  {"namespace", seen.wanted.meta.ns},
                  {"labels", labels},
                  {"ownerReferences", model::Array{control::controller_reference(
                                          kube::kDeployments, seen.wanted.object)}}};
  spec["template"] = std::move(pod_template);
  Value set = Object{{"apiVersion", "apps/v1"},
                     {"kind", "ReplicaSet"},
                     {"metadata", std::move(metadata)},
                     {"spec", std::move(spec)}};
  put_annotations(set, annotations);
  Write write = control::create(kube::kReplicaSets, std::move(set));
  write.refused = control::Note{true, "ReplicaSetCreateError",
                                "Failed to create new replica set \"" + name + "\"", "Create"};
  return write;
}

Write update_set(const ReplicaSet& set, int64_t replicas, const Annotations& annotations,
                 std::optional<int64_t> min_ready_seconds) {
  Value changed = set.object.value();
  put_annotations(changed, annotations);
  Object& spec = model::ensure_object(changed, {"spec"});
  spec["replicas"] = replicas;
  if (min_ready_seconds) spec["minReadySeconds"] = *min_ready_seconds;
  return control::update(kube::kReplicaSets, set.object, std::move(changed));
}

Write write_status(const Deployment& wanted, const Annotations& annotations, const Status& status) {
  Value changed = wanted.object.value();
  put_annotations(changed, annotations);
  model::ensure_object(changed, {})["status"] = to_value(status);
  return control::update_status(kube::kDeployments, wanted.object, std::move(changed));
}

Write write_template(const Deployment& wanted, const Annotations& annotations,
                     const Value& pod_template) {
  Value changed = wanted.object.value();
  put_annotations(changed, annotations);
  model::ensure_object(changed, {"spec"})["template"] = pod_template;
  return control::update(kube::kDeployments, wanted.object, std::move(changed));
}

}  // namespace holdfast::workloads::deployment
