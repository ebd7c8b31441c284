#include <holdfast/protect/cut/backup.h>

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

/// An administrator's move is about another namespace than its own.
DataMove about(const CutBackup& backup, DataMove move, const std::string& claims_ns) {
  const BackupInputs& inputs = backup.inputs;
  move.spec.location = inputs.location;
  // Moves were beside the claims once, and a location without a namespace was named from there.
  if (move.spec.location && move.spec.location->ns.empty() && inputs.repository.empty())
    move.spec.location->ns = inputs.ns;
  move.spec.repository = repository_of(inputs) == backup.ns ? "" : repository_of(inputs);
  if (move.spec.volume && claims_ns != backup.ns) move.spec.volume->ns = claims_ns;
  return move;
}

/// Of the run itself: a run from before is carried on as it was begun.
DataMove of_run(const CutBackup& backup, DataMove move, const std::string& claims_ns) {
  if (moves_ns(backup.inputs, backup.ns) == backup.ns)
    return about(backup, std::move(move), claims_ns);
  move.spec.location = backup.inputs.location;
  return move;
}

std::string nonce_tag(const BackupInputs& inputs) { return "nonce=" + inputs.nonce; }

std::vector<std::string> upload_tags(const CutBackup& backup, const ClaimRecord& claim) {
  std::vector<std::string> tags = backup.tags.of(backup.subject, backup.id);
  tags.push_back(claim_tag(claim));
  if (backup.inputs.nonce.empty()) return tags;
  tags.push_back("claim=" + claim.uid);
  tags.push_back("snapshot=" + claim.snapshot_uid);
  tags.push_back(nonce_tag(backup.inputs));
  return tags;
}

}  // namespace

const std::string& moves_ns(const BackupInputs& inputs, const std::string& ns) {
  return inputs.repository.empty() ? inputs.ns : ns;
}

const std::string& repository_of(const BackupInputs& inputs) {
  return inputs.repository.empty() ? inputs.ns : inputs.repository;
}

DataMove upload_of(const CutBackup& backup, size_t claim, const std::string& snapshot) {
  const ClaimRecord& its = backup.inputs.claims[claim];
  DataMove move;
  move.spec.direction = DataMove::Direction::Backup;
  move.spec.volume = DataMove::Volume{.snapshot = snapshot, .snapshot_uid = its.snapshot_uid};
  move.spec.tags = upload_tags(backup, its);
  return of_run(backup, std::move(move), its.ns);
}

DataMove catalogue_of(const CutBackup& backup, Catalogue catalogue,
                      const std::vector<const UsedMove*>& uploads) {
  catalogue.subject = backup.subject;
  catalogue.id = backup.id;
  catalogue.claims = backup.inputs.claims;
  std::vector<DataMove::Expected> expects;
  for (size_t i = 0; i < catalogue.claims.size(); ++i) {
    if (uploads[i] == nullptr) continue;
    ClaimRecord& claim = catalogue.claims[i];
    const DataMove::Status& moved = uploads[i]->move.status;
    DataMove::Expected expected{.snapshot_id = moved.snapshot_id,
                                .tags = upload_tags(backup, claim),
                                .files = moved.files.value_or(0)};
    claim.snapshot_id = moved.snapshot_id;
    if (moved.progress) claim.bytes = moved.progress->bytes_done;
    expected.bytes = claim.bytes.value_or(0);
    expected.tags.push_back(fmt::format("dm={}", uploads[i]->object.uid()));
    // A mover of an earlier release has not counted its files.
    if (moved.files) expects.push_back(std::move(expected));
  }
  DataMove move = catalogue_upload(backup.tags, catalogue);
  if (!backup.inputs.nonce.empty()) move.spec.tags.push_back(nonce_tag(backup.inputs));
  move.spec.expects = std::move(expects);
  return of_run(backup, std::move(move), "");
}

DataMove forget_of(const CutBackup& backup) {
  DataMove move;
  move.spec.direction = DataMove::Direction::Forget;
  move.spec.all_tagged = true;
  move.spec.tags = {backup.tags.of("", backup.id).back()};
  return about(backup, std::move(move), "");
}

DataMove download_of(const CutBackup& backup, size_t from, const std::string& claim_ns,
                     const std::string& claim) {
  DataMove move;
  move.spec.direction = DataMove::Direction::Restore;
  move.spec.volume = DataMove::Volume{.claim = claim};
  move.spec.snapshot = backup.inputs.claims[from].snapshot_id;
  return about(backup, std::move(move), claim_ns);
}

}  // namespace holdfast::protect
