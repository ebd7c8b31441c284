/// Plan of a DataMove: its next step. Pure: what is wanted and what was seen, to one step.
///
///   New → Accepted → (Prepared → InProgress)+ → Completed | Failed
///                     one mover pod per attempt    cancel: Canceling → Canceled
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/control/outcome.h>
#include <holdfast/control/refusal.h>
#include <holdfast/control/subject.h>
#include <holdfast/kube/cached.h>
#include <holdfast/protect/controllers.h>
#include <holdfast/protect/data_move.h>
#include <holdfast/protect/mover.h>

#include "locations/location_seen.h"
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

struct MoveSeen : control::Subject {
  DataMove move{};
  std::string mover_ns{};  ///< where movers run: beside the location
  std::optional<LocationSeen> location{};
  control::Refusal no_location{};  ///< why there is none: NoBackupLocation, …
  bool file_allowed = false;       ///< a location here may be a folder of the machine
  /// Of the mover's ServiceAccount and rights the first that is not there.
  std::optional<std::pair<kube::Resource, model::Value>> missing{};
  bool exec_allowed = false;  ///< the mover may execute commands in the pod of the move
  std::vector<MoverSeen> movers{};
  StagingSeen staging{};
  /// For who writes them; nothing is decided by these.
  struct Objects {
    kube::Cached cut{}, content{}, second{};
    kube::Cached exec_role{}, exec_binding{};
  } objects{};
};

/// A mover that has not begun by then is given up.
inline constexpr std::chrono::minutes kStartLimit{5};

control::Outcome plan_move(const MoveSeen& seen, const MoverSettings& settings);
/// The pause before an attempt, by its number.
std::chrono::seconds pause_before(int64_t attempt);

}  // namespace holdfast::protect
