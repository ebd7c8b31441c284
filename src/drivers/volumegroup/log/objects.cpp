#include "log/objects.h"

#include <holdfast/model/field_text.h>
#include <holdfast/protect/pods.h>

#include "action/objects.h"

namespace holdfast::drivers::volumegroup {
namespace {

using model::Array;
using model::Object;
using model::Value;

std::string staged(const ActionSeen& seen, const ClaimRecord& claim) {
  return staged_name(seen.action.status, seen.uid, claim);
}

/// The claim of that name that was cut with the others.
std::string staged_of(const ActionSeen& seen, const std::string& name) {
  for (const ClaimRecord& each : seen.action.status.inputs->claims)
    if (each.name == name && !each.log) return staged(seen, each);
  return "";
}

Value volume(std::string_view name, const std::string& claim, bool read_only) {
  return Object{{"name", name},
                {"persistentVolumeClaim", Object{{"claimName", claim}, {"readOnly", read_only}}}};
}

}  // namespace

control::Write create_log_cut(const ActionSeen& seen, size_t member) {
  const ClaimRecord& claim = seen.action.status.inputs->claims[member];
  Value cut = cut_of(seen, claim);
  cut.at("metadata").at("annotations").as_object()[kLogOf] = claim.log->pod;
  return control::create(kube::kVolumeSnapshots, std::move(cut));
}

control::Write create_log_pod(const ActionSeen& seen, size_t member,
                              const GroupSettings& settings) {
  const ClaimRecord& claim = seen.action.status.inputs->claims[member];
  const protect::LogTask task{.log = *claim.log};
  // A claim that stands in a pod twice, as two volumes, is never mounted by some kubelets.
  const bool together = claim.log->data_claim == claim.name;
  protect::OwnPod pod{"log", "put-log-back", settings.image, settings.command};
  pod.volumes = {volume("kept", staged(seen, claim), true),
                 volume("data", staged_of(seen, claim.log->data_claim), false)};
  if (!together) pod.volumes.push_back(volume("log", staged_of(seen, claim.name), false));
  pod.parts = {
      {"env", Array{Object{{"name", "HOLDFAST_LOG"}, {"value", model::fields_to_json(task)}}}},
      {"terminationMessagePolicy", "FallbackToLogsOnError"},
      {"volumeMounts",
       Array{Object{{"name", "kept"}, {"mountPath", task.kept}, {"readOnly", true}},
             Object{{"name", "data"}, {"mountPath", task.data}},
             Object{{"name", together ? "data" : "log"}, {"mountPath", task.target}}}}};
  return control::create(
      kube::kPods, control::made_object(kube::kPods, marked(seen, claim.ns, staged(seen, claim)),
                                        protect::spec_of(std::move(pod))));
}

}  // namespace holdfast::drivers::volumegroup
