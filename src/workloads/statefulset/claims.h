/// Owners of a member's claims, so that the garbage collector takes them when the retention policy
/// says so:
///   whenScaled  whenDeleted   owner of the claim
///   Retain      Retain        neither
///   Retain      Delete        the set
///   Delete      Retain        the pod, once it is scaled away
///   Delete      Delete        the set; the pod instead, once it is scaled away
#pragma once

#include "statefulset/observed.h"

#include <string>
#include <vector>

namespace holdfast::workloads::statefulset {

/// The pod that uses a claim; one that is not there yet has no object and no uid.
struct Member {
  std::string name{};
  int64_t ordinal = 0;
  const Replica* pod = nullptr;
  std::string uid() const { return pod ? pod->uid() : std::string(); }
};

Member member_of(const Set& set, int64_t ordinal);
Member member_of(const Replica& pod);

/// TEMPLATE-SET-ORDINAL
std::string claim_name(const Set& set, std::string_view claim_template, int64_t ordinal);
/// Names of spec.volumeClaimTemplates, in their order.
std::vector<std::string_view> claim_templates(const Set& set);

/// Somebody else manages a claim that the policy would have us manage: hands off, and say so.
bool has_foreign_controller(const VolumeClaim& claim, const Set& set, const Member& member);
/// True also when the claim is in a state that is not ours to mend.
bool owners_up_to_date(const VolumeClaim& claim, const Set& set, const Member& member);
/// metadata.ownerReferences as the policy wants them; other owners stay.
model::Array wanted_owners(const VolumeClaim& claim, const Set& set, const Member& member);
/// The claim is about to go with an earlier pod of this name: a new pod must not start on it.
bool is_stale(const VolumeClaim& claim, const Set& set, const Member& member);

}  // namespace holdfast::workloads::statefulset
