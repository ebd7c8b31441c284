#include "moves/staging.h"

#include <holdfast/base/walls.h>
#include <holdfast/model/time.h>

#include "moves/rounds.h"
#include "moves/staging_objects.h"
#include "moves/steps.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::Outcome;

/// Nobody tells when it is so: what is staged is not watched. Each look costs requests: the longer
/// it has been waited for, the longer until the next one.
Outcome wait_for(const MoveSeen& seen, std::optional<WallTime> since, std::string reason,
                 std::string message = "") {
  const auto waited =
      std::chrono::floor<std::chrono::milliseconds>(seen.now - since.value_or(seen.now));
  return Outcome::wait(std::clamp<std::chrono::milliseconds>(waited / 8, 500ms, 10s),
                       std::move(reason), std::move(message));
}

/// When the volume of a restore was filled.
std::optional<WallTime> filled(const MoveSeen& seen) {
  return model::parse_rfc3339(seen.move.status.verified->time);
}

/// Nothing when all movers are gone.
std::optional<Outcome> remove_movers(const MoveSeen& seen) {
  for (const MoverSeen& each : seen.movers)
    if (!each.deleting) return stop(each);
  if (seen.movers.empty()) return std::nullopt;
  return Outcome::wait(1s, "MoverGoing");
}

/// The next round may have better luck with its cut.
std::optional<Outcome> cut_failed(const MoveSeen& seen, const std::string& message) {
  const auto end = seen.move.spec.follow ? without_snapshot : fail;
  return end(seen, "SnapshotFailed", message);
}

/// A snapshot that was named may be older than the move.
WallTime awaited_since(const MoveSeen& seen, const CutSeen& cut) {
  return std::max(seen.created.value_or(seen.now), cut.created.value_or(seen.now));
}

bool too_long(const MoveSeen& seen, const CutSeen& cut) {
  return seen.now - awaited_since(seen, cut) > kStartLimit;
}

/// Why the VolumeSnapshot is not the one that is meant: who may write in its namespace can put
/// another one in its place, with every label.
std::string replaced(const MoveSeen& seen) {
  const DataMove::Volume& source = *seen.move.spec.volume;
  const CutSeen& cut = *seen.staging.cut;
  if (!source.snapshot_uid.empty() && source.snapshot_uid != cut.uid)
    return fmt::format("VolumeSnapshot {}/{} has the uid {}, and {} was cut: it was replaced",
                       seen.volume_ns, source.snapshot, cut.uid, source.snapshot_uid);
  if (!source.claim.empty() && cut.claim != source.claim)
    return fmt::format("the VolumeSnapshot that was made of claim {} is of \"{}\": it was replaced",
                       source.claim, cut.claim);
  return "";
}

/// Until the tenant's data has been cut and the cut can be bound again.
std::optional<Outcome> prepare_cut(const MoveSeen& seen) {
  const StagingSeen& staging = seen.staging;
  const DataMove::Volume& source = *seen.move.spec.volume;
  if (!staging.cut) {
    if (!source.snapshot.empty())
      return fail(seen, "SnapshotNotFound",
                  fmt::format("there is no VolumeSnapshot {} in namespace {}", source.snapshot,
                              seen.volume_ns));
    if (!staging.claim)
      return fail(
          seen, "ClaimNotFound",
          fmt::format("there is no claim {} in namespace {}", source.claim, seen.volume_ns));
    if (staging.claim->volume.empty())
      return fail(seen, "ClaimNotBound",
                  fmt::format("claim {} has no volume yet: nothing can be backed up before a "
                              "pod has used it",
                              source.claim));
    return Outcome::act(cut_claim(seen));
  }
  if (std::string other = replaced(seen);
      !other.empty() && wall_stands("what is uploaded is what was cut"))
    return fail(seen, "SnapshotReplaced", other);
  if (staging.cut->deleting && !staging.cut->ready)
    return cut_failed(seen, "the VolumeSnapshot was deleted before it was ready");
  if (!staging.cut->ready || staging.handle.empty()) {
    if (!too_long(seen, *staging.cut))
      return wait_for(seen, awaited_since(seen, *staging.cut), "SnapshotNotReady",
                      staging.cut->error);
    return cut_failed(
        seen, staging.cut->error.empty()
                  ? "the VolumeSnapshot does not become ready: is there a VolumeSnapshotClass "
                    "for the volume's driver?"
                  : staging.cut->error);
  }
  return std::nullopt;
}

/// Until it is bound a second time.
std::optional<Outcome> prepare_second(const MoveSeen& seen) {
  const StagingSeen& staging = seen.staging;
  if (seen.mover_ns == seen.volume_ns) return std::nullopt;
  if (!staging.content) return Outcome::act(bind_content(seen));
  if (!staging.second) return Outcome::act(bind_snapshot(seen));
  if (staging.second->ready) return std::nullopt;
  if (!too_long(seen, *staging.second))
    return wait_for(seen, awaited_since(seen, *staging.second), "SnapshotNotReady",
                    staging.second->error);
  return cut_failed(seen,
                    fmt::format("the VolumeSnapshot of namespace {} does not become ready: {}",
                                seen.mover_ns, staging.second->error));
}

std::optional<Outcome> make_claim(const MoveSeen& seen) {
  if (seen.staging.staged) return std::nullopt;
  if (seen.staging.storage_class.empty())
    return fail(seen, "NoStorageClass",
                "a second volume is needed beside the location, and no StorageClass for it is "
                "known: the claim must name one");
  return Outcome::act(create_claim(seen));
}

std::optional<Outcome> prepare_restore(const MoveSeen& seen) {
  const std::string& name = seen.move.spec.volume->claim;
  const std::optional<handover::Claim>& claim = seen.staging.claim;
  if (!claim)
    return fail(seen, "ClaimNotFound",
                fmt::format("there is no claim {} in namespace {}: make one that no pod uses yet",
                            name, seen.volume_ns));
  if (!claim->volume.empty())
    return fail(seen, "ClaimAlreadyBound",
                fmt::format("claim {} has a volume already, and the restored one would have to "
                            "take its place: make a claim that no pod uses yet, of a class that "
                            "waits for the first consumer",
                            name));
  return make_claim(seen);
}

}  // namespace

bool is_staged(const MoveSeen& seen) {
  const std::optional<DataMove::Volume>& volume = seen.move.spec.volume;
  return volume && (seen.mover_ns != seen.volume_ns || !volume->snapshot.empty());
}

bool is_filled(const MoveSeen& seen) {
  return is_staged(seen) && seen.move.spec.direction == DataMove::Direction::Restore &&
         seen.move.status.verified.has_value();
}

bool is_held(const MoveSeen& seen) { return is_staged(seen) || seen.mover_ns != seen.ns; }

std::optional<Outcome> prepare(const MoveSeen& seen) {
  if (!seen.staging.has_finalizer) return Outcome::act(hold(seen));
  if (!is_staged(seen)) return std::nullopt;
  if (seen.move.spec.direction == DataMove::Direction::Restore) return prepare_restore(seen);
  if (std::optional<Outcome> step = prepare_cut(seen)) return step;
  if (std::optional<Outcome> step = prepare_second(seen)) return step;
  return make_claim(seen);
}

std::optional<Outcome> hand_over(const MoveSeen& seen) {
  const StagingSeen& staging = seen.staging;
  const std::string& name = seen.move.spec.volume->claim;
  if (!staging.volume) return fail(seen, "VolumeLost", "the restored volume is gone");
  if (!staging.kept)
    return Outcome::act(
        handover::keep(*staging.volume, {kMoveMark, {seen.ns, seen.name, seen.uid}}));
  if (handover::pods_go_first())
    if (std::optional<Outcome> step = remove_movers(seen)) return step;
  if (staging.staged && staging.staged->deleting)
    return wait_for(seen, filled(seen), "StagedClaimGoing");
  if (staging.staged) return Outcome::act(control::remove(kube::kClaims, staging.staged->object));
  if (!staging.claim || staging.claim->deleting)
    return fail(seen, "ClaimNotFound",
                fmt::format("claim {} was deleted during the restore", name));
  if (staging.claim->volume == staging.volume->object.name()) return std::nullopt;
  if (!staging.claim->volume.empty())
    return fail(seen, "ClaimAlreadyBound",
                fmt::format("claim {} got the volume {} during the restore: make a claim that no "
                            "pod uses yet",
                            name, staging.claim->volume));
  if (staging.volume->claim_uid == staging.claim->uid)
    return wait_for(seen, filled(seen), "Binding");
  return Outcome::act(handover::reserve(*staging.volume, seen.volume_ns, name, staging.claim->uid));
}

std::optional<Outcome> clear_away(const MoveSeen& seen) {
  const StagingSeen& staging = seen.staging;
  if (!staging.has_finalizer) return std::nullopt;
  if (staging.kept) return Outcome::act(handover::give_back(*staging.volume, kMoveMark));
  if (staging.staged && !staging.staged->deleting)
    return Outcome::act(control::remove(kube::kClaims, staging.staged->object));
  if (staging.second && !staging.second->deleting)
    return Outcome::act(control::remove(kube::kVolumeSnapshots, seen.objects.second));
  if (staging.second) return wait_for(seen, staging.second->deleted, "SnapshotsGoing");
  if (staging.content)
    return Outcome::act(control::remove(kube::kVolumeSnapshotContents, seen.objects.content));
  const bool ours = seen.move.spec.volume && seen.move.spec.volume->snapshot.empty();
  if (ours && staging.cut && !staging.cut->deleting)
    return Outcome::act(control::remove(kube::kVolumeSnapshots, seen.objects.cut));
  return std::nullopt;
}

}  // namespace holdfast::protect
