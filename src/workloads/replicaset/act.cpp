#include "replicaset/act.h"

#include "pods/template.h"

namespace holdfast::workloads::replicaset {

using control::Note;
using control::Write;

Write create_pod(const ReplicaSet& set, const std::string& name) {
  Write write = control::create(
      kube::kPods,
      pod_from_template(set.pod_template, set.meta.ns, name, pod_prefix(set.meta.name),
                        control::controller_reference(kube::kReplicaSets, set.object)));
  write.note = Note{false, "SuccessfulCreate", "Created pod: " + name, "Create"};
  write.refused = Note{true, "FailedCreate", "Error creating", "Create"};
  return write;
}

Write delete_pod(const Pod& pod) {
  Write write = control::remove(kube::kPods, pod.object);
  write.note = Note{false, "SuccessfulDelete", "Deleted pod: " + pod.meta.name, "Delete"};
  write.refused = Note{true, "FailedDelete", "Error deleting", "Delete"};
  return write;
}

Write write_status(const ReplicaSet& set, const ReplicaSetStatus& status) {
  model::Value changed = set.object.value();
  model::ensure_object(changed, {})["status"] = to_value(status);
  return control::update_status(kube::kReplicaSets, set.object, std::move(changed));
}

}  // namespace holdfast::workloads::replicaset
