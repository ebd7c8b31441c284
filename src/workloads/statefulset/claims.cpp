#include "statefulset/claims.h"

#include <holdfast/control/write.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::workloads::statefulset {

namespace {

bool names_set(const model::OwnerReference& owner, const Set& set) {
  return owner.api_version == "apps/v1" && owner.kind == "StatefulSet" && owner.name == set.name;
}

bool names_pod(const model::OwnerReference& owner, const Member& member) {
  return owner.api_version == "v1" && owner.kind == "Pod" && owner.name == member.name;
}

bool owned_by(const VolumeClaim& claim, std::string_view uid) {
  return !uid.empty() && std::any_of(claim.owners.begin(), claim.owners.end(),
                                     [&](const auto& owner) { return owner.uid == uid; });
}

bool names_earlier_set(const VolumeClaim& claim, const Set& set) {
  const auto owner = std::find_if(claim.owners.begin(), claim.owners.end(),
                                  [&](const auto& o) { return names_set(o, set); });
  return owner != claim.owners.end() && owner->uid != set.uid;
}

bool names_earlier_pod(const VolumeClaim& claim, const Member& member) {
  const auto owner = std::find_if(claim.owners.begin(), claim.owners.end(),
                                  [&](const auto& o) { return names_pod(o, member); });
  return owner != claim.owners.end() && owner->uid != member.uid();
}

bool owned_without_control(const VolumeClaim& claim, const Set& set, const Member& member) {
  return std::any_of(claim.owners.begin(), claim.owners.end(), [&](const auto& owner) {
    return !owner.controller && (owner.uid == set.uid || owner.uid == member.uid());
  });
}

bool set_should_own(const Set& set, const Member& member) {
  if (!set.delete_claims_when_deleted) return false;
  return !set.delete_claims_when_scaled || set.holds(member.ordinal);
}

bool pod_should_own(const Set& set, const Member& member) {
  return set.delete_claims_when_scaled && !set.holds(member.ordinal);
}

}  // namespace

Member member_of(const Set& set, int64_t ordinal) {
  return {.name = fmt::format("{}-{}", set.name, ordinal), .ordinal = ordinal};
}

Member member_of(const Replica& pod) {
  return {.name = pod.name(), .ordinal = pod.ordinal, .pod = &pod};
}

std::string claim_name(const Set& set, std::string_view claim_template, int64_t ordinal) {
  return fmt::format("{}-{}-{}", claim_template, set.name, ordinal);
}

std::vector<std::string_view> claim_templates(const Set& set) {
  std::vector<std::string_view> names;
  for (const model::Value& claim : model::array_at(*set.value, {"spec", "volumeClaimTemplates"}))
    names.push_back(model::string_at(claim, {"metadata", "name"}));
  return names;
}

bool has_foreign_controller(const VolumeClaim& claim, const Set& set, const Member& member) {
  if (!set.delete_claims_when_scaled && !set.delete_claims_when_deleted) return false;
  return std::any_of(claim.owners.begin(), claim.owners.end(), [&](const auto& owner) {
    if (names_set(owner, set)) return owner.uid != set.uid;
    if (names_pod(owner, member)) return owner.uid != member.uid();
    return owner.controller;
  });
}

bool owners_up_to_date(const VolumeClaim& claim, const Set& set, const Member& member) {
  // An owner that is gone already decides about this claim; the garbage collector acts on it.
  if (names_earlier_set(claim, set) || names_earlier_pod(claim, member)) return true;
  const bool by_set = owned_by(claim, set.uid), by_pod = owned_by(claim, member.uid());
  if (has_foreign_controller(claim, set, member)) return !by_set && !by_pod;
  if (owned_without_control(claim, set, member)) return false;
  return by_set == set_should_own(set, member) && by_pod == pod_should_own(set, member);
}

model::Array wanted_owners(const VolumeClaim& claim, const Set& set, const Member& member) {
  model::Array wanted;
  for (const model::Value& owner : model::array_at(*claim.value, {"metadata", "ownerReferences"})) {
    const model::OwnerReference reference{
        .api_version = std::string(model::string_at(owner, {"apiVersion"})),
        .kind = std::string(model::string_at(owner, {"kind"})),
        .name = std::string(model::string_at(owner, {"name"})),
        .uid = std::string(model::string_at(owner, {"uid"}))};
    if (!names_set(reference, set) && !names_pod(reference, member)) wanted.push_back(owner);
  }
  if (has_foreign_controller(claim, set, member)) return wanted;
  if (set_should_own(set, member))
    wanted.push_back(control::controller_reference(kube::kStatefulSets, set.object));
  if (pod_should_own(set, member) && member.pod)
    wanted.push_back(control::controller_reference(kube::kPods, member.pod->object));
  return wanted;
}

bool is_stale(const VolumeClaim& claim, const Set& set, const Member& member) {
  return set.delete_claims_when_scaled && names_earlier_pod(claim, member);
}

}  // namespace holdfast::workloads::statefulset
