#include "action/objects.h"

#include <holdfast/control/finalizers.h>
#include <holdfast/control/sabotage.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/json.h>
#include <holdfast/protect/pods.h>

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
                  const DataMove& move) {
  return protect::make_move(move, marked(seen, ns, name));
}

protect::CutBackup backup_of(const ActionSeen& seen) {
  return {inputs_of(seen), kTags, seen.ns, subject_of(seen), seen.uid};
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

DataMove upload_of(const ActionSeen& seen, size_t member) {
  return protect::upload_of(backup_of(seen), member, snapshot_name(seen.action.status, member));
}

Write create_upload(const ActionSeen& seen, size_t member) {
  return create_move(seen, protect::moves_ns(inputs_of(seen), seen.ns), upload_name(seen, member),
                     upload_of(seen, member));
}

DataMove catalogue_of(const ActionSeen& seen) {
  const VolumeGroupAction::Status& status = seen.action.status;
  protect::Catalogue out{.time = status.started,
                         .reason = status.consistency_reason,
                         .message = status.consistency_message,
                         .verdict = status.consistency.value_or(Consistency::Unknown)};
  if (seen.window_result && !seen.window_result->cut_seen_at.empty())
    out.time = seen.window_result->cut_seen_at;
  std::vector<const UsedMove*> uploads;
  for (const MemberSeen& member : seen.members)
    uploads.push_back(member.move ? &*member.move : nullptr);
  DataMove move = protect::catalogue_of(backup_of(seen), std::move(out), uploads);
  if (control::sabotage().no_readback) move.spec.expects.clear();
  return move;
}

Write create_catalogue(const ActionSeen& seen) {
  return create_move(seen, protect::moves_ns(inputs_of(seen), seen.ns), catalogue_name(seen),
                     catalogue_of(seen));
}

std::string forget_name(const ActionSeen& seen) { return made_name(seen.uid, "", "forget"); }

Write create_forget(const ActionSeen& seen) {
  return create_move(seen, seen.ns, forget_name(seen), protect::forget_of(backup_of(seen)));
}

protect::CatalogueWish catalogue_wish(const ActionSeen& seen) {
  const VolumeGroupAction::Source& source = *seen.action.spec.source;
  return {.subject = source.group, .id = source.id, .before = source.before};
}

Write create_search(const ActionSeen& seen, const SearchSeen& search) {
  DataMove move = protect::catalogue_search(kTags, catalogue_wish(seen));
  move.spec.location = seen.action.spec.source->location;
  if (search.repository != seen.ns) move.spec.repository = search.repository;
  return create_move(seen, seen.ns, search.name, move);
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
  const std::string& name = seen.members[member].staged_name;
  const size_t from = protect::handover::filled_from(member, seen.members.size());
  return create_move(
      seen, seen.ns, name,
      protect::download_of(backup_of(seen), from, inputs_of(seen).claims[member].ns, name));
}

}  // namespace holdfast::drivers::volumegroup
