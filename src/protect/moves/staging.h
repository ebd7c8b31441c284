/// Staging: a second volume for a move's data, beside a location of another namespace: the
/// location's key must not come where the tenant may read Secrets and exec. Pure: what was seen, to
/// one step.
///
///   Backup    claim ── VolumeSnapshot ── content ──┐
///                 the tenant's namespace           │ one handle
///                 the location's namespace         │
///             mover ── claim ── VolumeSnapshot ── content, Retain
///
/// The tenant's namespace is the move's own, or the one that spec.volume.namespace of an
/// administrator's names.
///
///   Restore   mover ── claim ── volume: kept, let go, then reserved for the tenant's claim
///
/// What the mover brought is in the status before it goes, and it goes before the claim that it
/// mounts: a pod that has ended still holds its claims.
///
/// A VolumeSnapshot that is named as the source needs the second claim also where the location is
/// of its own namespace. The move's finalizer goes on before the first of these, or the mover, is
/// made and comes off after the last is gone: no owner reference reaches into another namespace.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/control/outcome.h>
#include <holdfast/protect/cut/handover.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect {

struct MoveSeen;

struct CutSeen {
  bool ready = false, deleting = false;
  std::optional<WallTime> created{}, deleted{};
  std::string error{};  ///< status.error
  std::string size{};   ///< status.restoreSize
  std::string uid{};
  std::string claim{};  ///< what it was cut of, if that is known
};

struct StagingSeen {
  bool has_finalizer = false;              ///< the move has ours
  std::optional<handover::Claim> claim{};  ///< the tenant's
  std::optional<CutSeen> cut{};            ///< of the tenant's claim: made by us, or the one named
  std::string driver{}, handle{};   ///< of the cut's content, which says that it is the cut's
  std::string storage_class{};      ///< for our claim
  bool content = false;             ///< ours, for the same handle
  std::optional<CutSeen> second{};  ///< the snapshot bound to it
  std::optional<handover::Claim> staged{};
  std::optional<handover::Volume> volume{};  ///< of our claim
  bool kept = false;  ///< it carries our label: it is on its way to the tenant's claim
};

/// True if the mover does not mount the tenant's own claim.
bool is_staged(const MoveSeen& seen);
/// True if something is made for it that would outlive it: what is staged, or a mover in another
/// namespace.
bool is_held(const MoveSeen& seen);
/// Each of these is nothing if there is nothing left to do.
/// Before the first mover.
std::optional<control::Outcome> prepare(const MoveSeen& seen);
/// True once the status says that a staged volume holds what was to be restored.
bool is_filled(const MoveSeen& seen);
/// From then on: the mover goes, and the volume becomes the tenant's.
std::optional<control::Outcome> hand_over(const MoveSeen& seen);
/// After the end, whichever it was; the movers are gone or need nothing any more. The finalizer
/// stays.
std::optional<control::Outcome> clear_away(const MoveSeen& seen);

}  // namespace holdfast::protect
