/// deployment-controller: one ReplicaSet per template; the current one grows as the old ones
/// shrink.
#include "deployment/observe.h"
#include "known.h"
#include "pods/claim.h"

namespace holdfast::workloads {
namespace deployment {
namespace {

using control::Outcome;
using control::Write;
using model::Object;
using model::Value;

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

Write create_set(const Seen& seen, const Step& step) {
  Value pod_template = seen.wanted.pod_template;
  Object& labels = model::ensure_object(pod_template, {"metadata", "labels"});
  labels[kTemplateHash] = seen.next_hash;
  Value selector = seen.wanted.selector_value;
  model::ensure_object(selector, {"matchLabels"})[kTemplateHash] = seen.next_hash;
  Object spec{{"replicas", step.replicas}, {"selector", std::move(selector)}};
  if (seen.wanted.min_ready_seconds != 0) spec["minReadySeconds"] = seen.wanted.min_ready_seconds;
  Object metadata{{"name", step.set.meta.name},
                  {"namespace", seen.wanted.meta.ns},
                  {"labels", labels},
                  {"ownerReferences", model::Array{control::controller_reference(
                                          kube::kDeployments, seen.wanted.object)}}};
  spec["template"] = std::move(pod_template);
  Value set = Object{{"apiVersion", "apps/v1"},
                     {"kind", "ReplicaSet"},
                     {"metadata", std::move(metadata)},
                     {"spec", std::move(spec)}};
  put_annotations(set, step.annotations);
  Write write = control::create(kube::kReplicaSets, std::move(set));
  write.refused =
      control::Note{true, "ReplicaSetCreateError",
                    "Failed to create new replica set \"" + step.set.meta.name + "\"", "Create"};
  return write;
}

Write update_set(const Seen& seen, const Step& step) {
  Value changed = step.set.object.value();
  put_annotations(changed, step.annotations);
  Object& spec = model::ensure_object(changed, {"spec"});
  spec["replicas"] = step.replicas;
  if (step.min_ready) spec["minReadySeconds"] = seen.wanted.min_ready_seconds;
  return control::update(kube::kReplicaSets, step.set.object, std::move(changed));
}

Write report(const Seen& seen, const Step& step) {
  Value changed = seen.wanted.object.value();
  put_annotations(changed, step.annotations);
  model::ensure_object(changed, {})["status"] = to_value(step.status);
  return control::update_status(kube::kDeployments, seen.wanted.object, std::move(changed));
}

Write roll_back(const Seen& seen, const Step& step) {
  Value changed = seen.wanted.object.value();
  put_annotations(changed, step.annotations);
  model::ensure_object(changed, {"spec"})["template"] = step.pod_template;
  return control::update(kube::kDeployments, seen.wanted.object, std::move(changed));
}

Write write_of(const Seen& seen, const Step& step) {
  switch (step.what) {
    case Step::Do::Adopt:
      return adopt(kube::kDeployments, seen.wanted.object, kube::kReplicaSets, step.set.object);
    case Step::Do::Release:
      return release(seen.wanted.meta.uid, kube::kReplicaSets, step.set.object);
    case Step::Do::CreateSet:
      return create_set(seen, step);
    case Step::Do::UpdateSet:
      return update_set(seen, step);
    case Step::Do::DeleteSet:
      return control::remove(kube::kReplicaSets, step.set.object);
    case Step::Do::RollBack:
      return roll_back(seen, step);
    case Step::Do::Report:
    case Step::Do::Nothing:
      break;
  }
  return report(seen, step);
}

Outcome nothing(const Step& step) {
  Outcome out = Outcome::done();
  if (step.again)
    out = Outcome::wait(std::chrono::ceil<std::chrono::milliseconds>(*step.again),
                        "AwaitingProgress", "the rollout has time until its deadline");
  if (step.note) out.notes.push_back(*step.note);
  return out;
}

class DeploymentReconciler final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    const std::optional<Seen> seen = observe(pass);
    if (!seen) return Outcome::done();
    const Step step = plan(*seen);
    if (step.what == Step::Do::Nothing) return nothing(step);
    if (step.what == Step::Do::Adopt)
      HF_TRY(may_adopt(pass, kube::kDeployments, seen->wanted.object));
    Write write = write_of(*seen, step);
    if (step.note) write.note = *step.note;
    return Outcome::act(std::move(write));
  }
};

/// The Deployment of a pod that is gone or has ended: Recreate waits for the last one.
control::Keys deployment_of_pod(const kube::Change& change, kube::Informers& informers) {
  control::Keys keys;
  const model::Meta pod = change.object().meta();
  const kube::Informer* sets = informers.covering(kube::kReplicaSets, pod.ns);
  for (const model::OwnerReference& owner : pod.owners) {
    if (!owner.controller || owner.kind != kube::kReplicaSets.kind || sets == nullptr) continue;
    const kube::Cached set = sets->get(pod.ns, owner.name);
    if (!set || set.uid() != owner.uid) continue;
    for (const model::OwnerReference& above : set.meta().owners)
      if (above.controller && above.kind == kube::kDeployments.kind)
        keys.push_back({pod.ns, above.name});
  }
  return keys;
}

}  // namespace
}  // namespace deployment

control::ControllerSpec deployment_controller() {
  control::ControllerSpec spec;
  spec.name = "deployment-controller";
  control::Watch deployments;
  deployments.scope.resource = kube::kDeployments;
  control::Watch sets;
  sets.scope.resource = kube::kReplicaSets;
  sets.lookup = owner_or_selecting(kube::kDeployments);
  sets.indexes = {{std::string(kOrphans), index_orphans}};
  control::Watch pods;
  pods.scope.resource = kube::kPods;
  pods.when = [](const kube::Change& change) { return change.kind == kube::Change::Kind::Deleted; };
  pods.lookup = deployment::deployment_of_pod;
  spec.watches = {std::move(deployments), std::move(sets), std::move(pods)};
  spec.make = [] { return std::make_unique<deployment::DeploymentReconciler>(); };
  spec.workers = 2;
  return spec;
}

}  // namespace holdfast::workloads
