/// Plan of a DataMove: its next step. Pure: what is wanted and what was seen, to one step.
///
///   New → Accepted → (Prepared → InProgress)+ → Completed | Failed
///          queued    one mover pod per attempt    cancel: Canceling → Canceled
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/control/outcome.h>
#include <holdfast/control/refusal.h>
#include <holdfast/control/subject.h>
#include <holdfast/kube/cached.h>
#include <holdfast/protect/controllers.h>
#include <holdfast/protect/data_move.h>
#include <holdfast/protect/mover.h>
#include <holdfast/protect/mover_object.h>

#include "locations/known_repository.h"
#include "moves/staging.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect {

/// A mover pod, as far as it decides.
struct MoverSeen {
  int64_t attempt = 0;
  std::string name{};
  std::string phase{};  ///< Pending, Running, Succeeded, Failed
  bool deleting = false;
  std::string message{};  ///< its termination message
  std::string waiting{};  ///< why its container does not start: "REASON: message"
  std::optional<WallTime> created{};
  std::optional<WallTime> ended{};
  kube::Cached pod{};  ///< for who deletes it
};

/// The Mover of the move, as long as it has a place among those of its location.
struct MoverObject {
  kube::Cached object{};
  Mover mover{};
};

struct MoveSeen : control::Subject {
  DataMove move{};                    ///< its spec is what it was asked for
  std::vector<std::string> edited{};  ///< fields of the spec that were changed since
  bool is_admin = false;              ///< it may be about other namespaces
  std::string volume_ns{};            ///< where the claim or VolumeSnapshot is
  std::string mover_ns{};             ///< where movers run: beside the location
  std::string repository{};           ///< name of the one it is about
  std::optional<LocationSeen> location{};
  control::Refusal no_location{};  ///< why there is none: NoBackupLocation, …
  bool file_allowed = false;       ///< a location here may be a folder of the machine
  KnownRepository known{};
  std::optional<MoverObject> mover_object{};
  control::Refusal queued{};  ///< why it has no place yet; no reason: there is one
  /// Of the Mover, its account and rights the first that is not there; of another Mover before this
  /// one, what is yet to go.
  std::optional<std::pair<kube::Resource, model::Value>> missing{};
  bool account_going = false;
  bool exec_allowed = false;  ///< the mover may execute commands in the pod of the move
  std::vector<MoverSeen> movers{};
  bool mover_gone = false;  ///< the pod of this attempt was there, and is there no more
  StagingSeen staging{};
  /// For who writes them; nothing is decided by these.
  struct Objects {
    kube::Cached cut{}, content{}, second{};
    kube::Cached exec_role{}, exec_binding{};
  } objects{};
};

/// A mover that has not begun by then is given up.
inline constexpr std::chrono::minutes kStartLimit{5};
/// A mover that neither reads nor sends anything for so long is ended, and told of before that.
inline constexpr std::chrono::minutes kIdleLimit{60}, kIdleWarning{55};
/// So often at most a mover's progress is copied.
inline constexpr std::chrono::seconds kCopyEvery{2};

control::Outcome plan_move(const MoveSeen& seen, const MoverSettings& settings);
/// The pause before an attempt, by its number.
std::chrono::seconds pause_before(int64_t attempt);

}  // namespace holdfast::protect
