#include "moves/staging.h"

#include "moves/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

using Kind = StageStep::Kind;

StageStep step(Kind kind) { return {.kind = kind, .reason = {}, .message = {}}; }

StageStep fail(std::string reason, std::string message) {
  return {.kind = Kind::Fail, .reason = std::move(reason), .message = std::move(message)};
}

/// A snapshot that was named may be older than the move.
bool too_long(const MoveSeen& seen, const CutSeen& cut) {
  const WallTime since = std::max(seen.created.value_or(seen.now), cut.created.value_or(seen.now));
  return seen.now - since > kStartLimit;
}

/// Until the tenant's data has been cut and the cut can be bound again.
StageStep prepare_cut(const MoveSeen& seen) {
  const StagingSeen& staging = seen.staging;
  const DataMove::Volume& source = *seen.move.spec.volume;
  if (!staging.cut) {
    if (!source.snapshot.empty())
      return fail("SnapshotNotFound", fmt::format("there is no VolumeSnapshot {} in namespace {}",
                                                  source.snapshot, seen.ns));
    if (!staging.claim)
      return fail("ClaimNotFound",
                  fmt::format("there is no claim {} in namespace {}", source.claim, seen.ns));
    if (staging.claim->volume.empty())
      return fail("ClaimNotBound", fmt::format("claim {} has no volume yet: nothing can be backed "
                                               "up before a pod has used it",
                                               source.claim));
    return step(Kind::Cut);
  }
  if (staging.cut->deleting && !staging.cut->ready)
    return fail("SnapshotFailed", "the VolumeSnapshot was deleted before it was ready");
  if (!staging.cut->ready || staging.handle.empty()) {
    if (!too_long(seen, *staging.cut)) return step(Kind::Wait);
    return fail("SnapshotFailed",
                staging.cut->error.empty()
                    ? "the VolumeSnapshot does not become ready: is there a VolumeSnapshotClass "
                      "for the volume's driver?"
                    : staging.cut->error);
  }
  return step(Kind::Ready);
}

/// Until it is bound a second time.
StageStep prepare_second(const MoveSeen& seen) {
  const StagingSeen& staging = seen.staging;
  if (seen.mover_ns == seen.ns) return step(Kind::Ready);
  if (!staging.content) return step(Kind::BindContent);
  if (!staging.second) return step(Kind::BindSnapshot);
  if (staging.second->ready) return step(Kind::Ready);
  if (!too_long(seen, *staging.second)) return step(Kind::Wait);
  return fail("SnapshotFailed", fmt::format("the VolumeSnapshot of namespace {} does not become "
                                            "ready: {}",
                                            seen.mover_ns, staging.second->error));
}

StageStep make_claim(const MoveSeen& seen) {
  if (seen.staging.staged) return step(Kind::Ready);
  if (seen.staging.storage_class.empty())
    return fail("NoStorageClass",
                "a second volume is needed beside the location, and no StorageClass for it is "
                "known: the claim must name one");
  return step(Kind::MakeClaim);
}

StageStep prepare_restore(const MoveSeen& seen) {
  const std::string& name = seen.move.spec.volume->claim;
  const std::optional<ClaimSeen>& claim = seen.staging.claim;
  if (!claim)
    return fail("ClaimNotFound",
                fmt::format("there is no claim {} in namespace {}: make one that no pod uses yet",
                            name, seen.ns));
  if (!claim->volume.empty())
    return fail("ClaimAlreadyBound",
                fmt::format("claim {} has a volume already, and the restored one would have to "
                            "take its place: make a claim that no pod uses yet, of a class that "
                            "waits for the first consumer",
                            name));
  return make_claim(seen);
}

}  // namespace

bool is_staged(const MoveSeen& seen) {
  const std::optional<DataMove::Volume>& volume = seen.move.spec.volume;
  return volume && (seen.mover_ns != seen.ns || !volume->snapshot.empty());
}

bool is_held(const MoveSeen& seen) { return is_staged(seen) || seen.mover_ns != seen.ns; }

StageStep prepare(const MoveSeen& seen) {
  if (!seen.staging.held) return step(Kind::Hold);
  if (!is_staged(seen)) return step(Kind::Ready);
  if (seen.move.spec.direction == DataMove::Direction::Restore) return prepare_restore(seen);
  for (const StageStep& next : {prepare_cut(seen), prepare_second(seen)})
    if (next.kind != Kind::Ready) return next;
  return make_claim(seen);
}

StageStep hand_over(const MoveSeen& seen) {
  const StagingSeen& staging = seen.staging;
  const std::string& name = seen.move.spec.volume->claim;
  if (!staging.volume)
    return staging.staged && !staging.staged->volume.empty()
               ? step(Kind::KeepVolume)
               : fail("VolumeLost", "the restored volume is gone");
  if (staging.staged) return step(staging.staged->deleting ? Kind::Wait : Kind::RemoveClaim);
  if (!staging.claim || staging.claim->deleting)
    return fail("ClaimNotFound", fmt::format("claim {} went away during the restore", name));
  if (staging.claim->volume == staging.volume->name) return step(Kind::Ready);
  if (!staging.claim->volume.empty())
    return fail("ClaimAlreadyBound",
                fmt::format("claim {} got the volume {} during the restore: make a claim that no "
                            "pod uses yet",
                            name, staging.claim->volume));
  return step(staging.volume->claim_uid == staging.claim->uid ? Kind::Wait : Kind::HandOver);
}

StageStep clear_away(const MoveSeen& seen) {
  const StagingSeen& staging = seen.staging;
  if (!staging.held) return step(Kind::Ready);
  if (staging.volume) return step(Kind::GiveBack);
  if (staging.staged && !staging.staged->deleting) return step(Kind::RemoveClaim);
  if (staging.second && !staging.second->deleting) return step(Kind::RemoveSnapshot);
  if (staging.second) return step(Kind::Wait);
  if (staging.content) return step(Kind::RemoveContent);
  const bool ours = seen.move.spec.volume && seen.move.spec.volume->snapshot.empty();
  if (ours && staging.cut && !staging.cut->deleting) return step(Kind::RemoveCut);
  return step(seen.movers.empty() ? Kind::LetGo : Kind::Wait);
}

}  // namespace holdfast::protect
