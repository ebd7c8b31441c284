#include "action/objects.h"

#include <holdfast/control/finalizers.h>
#include <holdfast/control/sabotage.h>
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

/// An administrator's move is about another namespace than its own.
DataMove about(const ActionSeen& seen, DataMove move, const std::string& claims_ns) {
  const Inputs& inputs = inputs_of(seen);
  move.spec.location = inputs.location;
  // Moves were beside the claims once, and a location without a namespace was named from there.
  if (move.spec.location && move.spec.location->ns.empty() && inputs.repository.empty())
    move.spec.location->ns = inputs.ns;
  move.spec.repository = repository_of(seen) == seen.ns ? "" : repository_of(seen);
  if (move.spec.volume && claims_ns != seen.ns) move.spec.volume->ns = claims_ns;
  return move;
}

/// Of the run itself: a run from before is carried on as it was begun.
DataMove of_run(const ActionSeen& seen, DataMove move, const std::string& claims_ns) {
  if (moves_ns(seen) == seen.ns) return about(seen, std::move(move), claims_ns);
  move.spec.location = inputs_of(seen).location;
  return move;
}

Write create_move(const ActionSeen& seen, const std::string& ns, const std::string& name,
                  const DataMove& move) {
  return protect::make_move(move, marked(seen, ns, name));
}

std::string nonce_tag(const ActionSeen& seen) { return "nonce=" + inputs_of(seen).nonce; }

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

DataMove upload_of(const ActionSeen& seen, size_t member) {
  const ClaimRecord& claim = inputs_of(seen).claims[member];
  DataMove move;
  move.spec.direction = DataMove::Direction::Backup;
  move.spec.volume = DataMove::Volume{.snapshot = snapshot_name(seen.action.status, member),
                                      .snapshot_uid = claim.snapshot_uid};
  move.spec.tags = kTags.of(subject_of(seen), seen.uid);
  move.spec.tags.push_back(protect::claim_tag(claim));
  if (!inputs_of(seen).nonce.empty()) {
    move.spec.tags.push_back("claim=" + claim.uid);
    move.spec.tags.push_back("snapshot=" + claim.snapshot_uid);
    move.spec.tags.push_back(nonce_tag(seen));
  }
  return of_run(seen, std::move(move), claim.ns);
}

Write create_upload(const ActionSeen& seen, size_t member) {
  return create_move(seen, moves_ns(seen), upload_name(seen, member), upload_of(seen, member));
}

DataMove catalogue_of(const ActionSeen& seen) {
  const VolumeGroupAction::Status& status = seen.action.status;
  protect::Catalogue out{.subject = subject_of(seen), .id = seen.uid, .time = status.started};
  if (seen.window_result && !seen.window_result->cut_seen_at.empty())
    out.time = seen.window_result->cut_seen_at;
  out.verdict = status.consistency.value_or(Consistency::Unknown);
  out.reason = status.consistency_reason;
  out.message = status.consistency_message;
  out.claims = status.inputs->claims;
  std::vector<DataMove::Expected> expects;
  for (size_t i = 0; i < out.claims.size(); ++i) {
    if (!seen.members[i].move) continue;
    const UsedMove& used = *seen.members[i].move;
    const DataMove::Status& moved = used.move.status;
    out.claims[i].snapshot_id = moved.snapshot_id;
    if (moved.progress) out.claims[i].bytes = moved.progress->bytes_done;
    DataMove::Expected expected{.snapshot_id = moved.snapshot_id,
                                .tags = upload_of(seen, i).spec.tags,
                                .files = moved.files.value_or(0),
                                .bytes = out.claims[i].bytes.value_or(0)};
    expected.tags.push_back(fmt::format("dm={}", used.object.uid()));
    // A mover of an earlier release has not counted its files.
    if (moved.files) expects.push_back(std::move(expected));
  }
  DataMove move = protect::catalogue_upload(kTags, out);
  if (!inputs_of(seen).nonce.empty()) move.spec.tags.push_back(nonce_tag(seen));
  if (!control::sabotage().no_readback) move.spec.expects = std::move(expects);
  return of_run(seen, std::move(move), "");
}

Write create_catalogue(const ActionSeen& seen) {
  return create_move(seen, moves_ns(seen), catalogue_name(seen), catalogue_of(seen));
}

std::string forget_name(const ActionSeen& seen) { return made_name(seen.uid, "", "forget"); }

DataMove forget_of(const ActionSeen& seen) {
  DataMove move;
  move.spec.direction = DataMove::Direction::Forget;
  move.spec.all_tagged = true;
  move.spec.tags = {kTags.of("", seen.uid).back()};
  return about(seen, std::move(move), "");
}

Write create_forget(const ActionSeen& seen) {
  return create_move(seen, seen.ns, forget_name(seen), forget_of(seen));
}

protect::CatalogueWish catalogue_wish(const ActionSeen& seen) {
  const VolumeGroupAction::Source& source = *seen.action.spec.source;
  return {.subject = source.group, .id = source.id, .before = source.before};
}

Write create_search(const ActionSeen& seen) {
  DataMove move = protect::catalogue_search(kTags, catalogue_wish(seen));
  move.spec.location = seen.action.spec.source->location;
  if (source_repository(seen) != seen.ns) move.spec.repository = source_repository(seen);
  return create_move(seen, seen.ns, search_name(seen), move);
}

protect::handover::Owned owned(const ActionSeen& seen) {
  return {kActionMark, {seen.ns, seen.name, seen.uid}};
}

std::map<std::string, std::string> classes_of(const ActionSeen& seen) {
  const auto& restore = seen.action.status.restore;
  return restore ? restore->storage_classes : std::map<std::string, std::string>();
}

/// Where the claim was, also if it is to be elsewhere: there its snapshot is.
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
  move.spec.volume = DataMove::Volume{.claim = name};
  const size_t from = protect::handover::filled_from(member, seen.members.size());
  move.spec.snapshot = inputs_of(seen).claims[from].snapshot_id;
  return create_move(seen, seen.ns, name, about(seen, std::move(move), claim.ns));
}

}  // namespace holdfast::drivers::volumegroup
