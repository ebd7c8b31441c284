#include "action/objects.h"

#include <holdfast/control/finalizers.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/json.h>
#include <holdfast/protect/pods.h>

#include "action/source_plan.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {

using control::Decides;
using control::Write;
using model::Object;
using model::Value;
using protect::DataMove;

namespace {

const Inputs& inputs_of(const ActionSeen& seen) { return *seen.action.status.inputs; }

Write create_move(const ActionSeen& seen, const std::string& ns, const std::string& name,
                  DataMove move, const std::optional<protect::Reference>& location) {
  move.spec.location = location;
  return protect::make_move(move, marked(seen, ns, name));
}

}  // namespace

std::string snapshot_name(const VolumeGroupAction::Status& status, size_t member) {
  if (!status.triggered || member >= status.triggered->references.resources.size()) return "";
  const auto& items = status.triggered->references.resources[member].items;
  const auto found = items.find("snapshot");
  return found == items.end() || found->second.empty() ? "" : found->second.front();
}

Object marked(const ActionSeen& seen, const std::string& ns, const std::string& name) {
  return control::made_metadata(kActionMark, {seen.ns, seen.name, seen.uid}, ns, name);
}

std::string subject_of(const ActionSeen& seen) {
  return fmt::format("{}/{}", seen.ns, seen.action.spec.group);
}

std::string cut_name(const ActionSeen& seen, const ClaimRecord* claim) {
  return made_name(seen.uid, claim != nullptr ? identity(*claim) : "", "snapshot");
}

Value cut_of(const ActionSeen& seen, const ClaimRecord& claim) {
  return protect::snapshot_of(claim, marked(seen, claim.ns, cut_name(seen, &claim)));
}

std::vector<protect::CutObject> cut_objects(const ActionSeen& seen) {
  const Inputs& inputs = inputs_of(seen);
  if (inputs.cut == Cut::Group)
    return {{seen.group_kinds.snapshots,
             protect::group_snapshot_of(seen.group_kinds, inputs.group_class, cut_label(seen.uid),
                                        marked(seen, inputs.ns, cut_name(seen, nullptr)))}};
  std::vector<protect::CutObject> out;
  for (const ClaimRecord& claim : inputs.claims)
    out.push_back({kube::kVolumeSnapshots, cut_of(seen, claim)});
  return out;
}

Write remove_trigger(const ActionSeen& seen) {
  return control::drop_label(kube::resource_of<VolumeGroupAction>(), seen.object, seen.label_key);
}

Write hold(const ActionSeen& seen) {
  return control::add_finalizer(kube::resource_of<VolumeGroupAction>(), seen.object, kFinalizer);
}

Write let_go(const ActionSeen& seen) {
  return control::drop_finalizer(kube::resource_of<VolumeGroupAction>(), seen.object, kFinalizer);
}

Write label_claim(const ActionSeen& seen, const MemberSeen& member, bool on) {
  Object labels;
  labels[cut_label(seen.uid)] = on ? Value("true") : Value(nullptr);
  return control::patch(kube::kClaims, member.claim,
                        Object{{"metadata", Object{{"labels", std::move(labels)}}}}, Decides::No);
}

std::string upload_name(const ActionSeen& seen, size_t member) {
  return made_name(seen.uid, identity(inputs_of(seen).claims[member]), "backup");
}

std::string catalogue_name(const ActionSeen& seen) { return made_name(seen.uid, "", "catalogue"); }

Write create_upload(const ActionSeen& seen, size_t member) {
  const ClaimRecord& claim = inputs_of(seen).claims[member];
  DataMove move;
  move.spec.direction = DataMove::Direction::Backup;
  move.spec.volume =
      DataMove::Volume{.claim = "", .snapshot = snapshot_name(seen.action.status, member)};
  move.spec.tags = kTags.of(subject_of(seen), seen.uid);
  move.spec.tags.push_back(protect::claim_tag(claim));
  return create_move(seen, claim.ns, upload_name(seen, member), move, inputs_of(seen).location);
}

Write create_catalogue(const ActionSeen& seen) {
  const VolumeGroupAction::Status& status = seen.action.status;
  protect::Catalogue out{.subject = subject_of(seen), .id = seen.uid, .time = status.started};
  if (seen.window_result && !seen.window_result->cut_seen_at.empty())
    out.time = seen.window_result->cut_seen_at;
  out.verdict = status.consistency.value_or(Consistency::Unknown);
  out.reason = status.consistency_reason;
  out.message = status.consistency_message;
  out.claims = status.inputs->claims;
  for (size_t i = 0; i < out.claims.size(); ++i) {
    if (!seen.members[i].move) continue;
    out.claims[i].snapshot_id = seen.members[i].move->move.status.snapshot_id;
    if (const auto& progress = seen.members[i].move->move.status.progress)
      out.claims[i].bytes = progress->bytes_done;
  }
  return create_move(seen, inputs_of(seen).ns, catalogue_name(seen),
                     protect::catalogue_upload(kTags, out), inputs_of(seen).location);
}

std::string forget_name(const ActionSeen& seen) { return made_name(seen.uid, "", "forget"); }

std::vector<std::string> snapshots_of(const VolumeGroupAction::Status& status) {
  std::vector<std::string> out;
  if (!status.catalogue.empty()) out.push_back(status.catalogue);
  if (status.inputs)
    for (const ClaimRecord& claim : status.inputs->claims)
      if (!claim.snapshot_id.empty()) out.push_back(claim.snapshot_id);
  return out;
}

Write create_forget(const ActionSeen& seen) {
  DataMove move;
  move.spec.direction = DataMove::Direction::Forget;
  // Without its catalogue a backup is not listed any more: that goes first.
  move.spec.snapshots = snapshots_of(seen.action.status);
  move.spec.tags = {kTags.of("", seen.uid).back()};
  return create_move(seen, inputs_of(seen).ns, forget_name(seen), move, inputs_of(seen).location);
}

protect::CatalogueWish catalogue_wish(const ActionSeen& seen) {
  const VolumeGroupAction::Source& source = *seen.action.spec.source;
  return {.subject = source.group, .id = source.id, .before = source.before};
}

Write create_search(const ActionSeen& seen) {
  return create_move(seen, source_ns(seen), search_name(seen),
                     protect::catalogue_search(kTags, catalogue_wish(seen)),
                     seen.action.spec.source->location);
}

protect::handover::Owned owned(const ActionSeen& seen) {
  return {kActionMark, {seen.ns, seen.name, seen.uid}};
}

std::map<std::string, std::string> classes_of(const ActionSeen& seen) {
  const auto& restore = seen.action.status.restore;
  return restore ? restore->storage_classes : std::map<std::string, std::string>();
}

/// Where the claim was, also if it is to be elsewhere: there its snapshot is, and the repository.
Write create_staged(const ActionSeen& seen, size_t member) {
  const bool revert = seen.action.status.restoring == "revert";
  const size_t from = protect::handover::filled_from(member, seen.members.size());
  return protect::handover::make_staged(seen.members[member], owned(seen),
                                        inputs_of(seen).claims[member], classes_of(seen),
                                        revert ? snapshot_name(seen.action.status, from) : "");
}

Write create_download(const ActionSeen& seen, size_t member) {
  const ClaimRecord& claim = inputs_of(seen).claims[member];
  DataMove move;
  move.spec.direction = DataMove::Direction::Restore;
  const std::string& name = seen.members[member].staged_name;
  move.spec.volume = DataMove::Volume{.claim = name, .snapshot = ""};
  const size_t from = protect::handover::filled_from(member, seen.members.size());
  move.spec.snapshot = inputs_of(seen).claims[from].snapshot_id;
  return create_move(seen, claim.ns, name, move, inputs_of(seen).location);
}

}  // namespace holdfast::drivers::volumegroup
