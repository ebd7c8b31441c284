#include "log/objects.h"

#include <holdfast/protect/cut/log_pod.h>

#include "action/objects.h"

namespace holdfast::drivers::volumegroup {
namespace {

std::string staged(const ActionSeen& seen, const ClaimRecord& claim) {
  return staged_name(seen.action.status, seen.uid, claim);
}

/// The claim of that name that was cut with the others.
std::string staged_of(const ActionSeen& seen, const std::string& name) {
  for (const ClaimRecord& each : seen.action.status.inputs->claims)
    if (each.name == name && !each.log) return staged(seen, each);
  return "";
}

}  // namespace

control::Write create_log_cut(const ActionSeen& seen, size_t member) {
  const ClaimRecord& claim = seen.action.status.inputs->claims[member];
  model::Value cut = cut_of(seen, claim);
  cut.at("metadata").at("annotations").as_object()[kLogOf] = claim.log->pod;
  return control::create(kube::kVolumeSnapshots, std::move(cut));
}

control::Write create_log_pod(const ActionSeen& seen, size_t member,
                              const GroupSettings& settings) {
  const ClaimRecord& claim = seen.action.status.inputs->claims[member];
  protect::LogClaims claims{.kept = staged(seen, claim),
                            .data = staged_of(seen, claim.log->data_claim)};
  if (claim.log->data_claim != claim.name) claims.log = staged_of(seen, claim.name);
  return control::create(
      kube::kPods,
      control::made_object(kube::kPods, marked(seen, claim.ns, staged(seen, claim)),
                           protect::log_pod(*claim.log, claims, settings.image, settings.command)));
}

}  // namespace holdfast::drivers::volumegroup
