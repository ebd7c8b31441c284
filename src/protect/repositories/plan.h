/// Plan of a Repository: its next step of maintenance. Pure: what is wanted and what was seen, to
/// one step.
///
///   due, asked for, or other Secrets → status.running (intent) → its Job → result in the status
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/control/outcome.h>
#include <holdfast/control/refusal.h>
#include <holdfast/control/subject.h>
#include <holdfast/protect/controllers.h>
#include <holdfast/protect/repository.h>
#include <holdfast/protect/upkeep.h>

#include "locations/location_seen.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect {

/// A Job of ours, as far as it decides.
struct JobSeen {
  kube::Cached object{};
  std::string name{}, kind{};
  bool deleting = false, finished = false;
  bool has_pods = true;  ///< it has, or had, at least one
  std::optional<WallTime> created{}, ended{};
  std::string report{};   ///< termination message of its last pod that ended
  std::string trouble{};  ///< why it failed, by its own condition; why its pod does not start
};

struct RepositorySeen : control::Subject {
  Repository repository{};
  std::string asked{};       ///< value of the annotation holdfast.dev/run
  bool is_given_up = false;  ///< the annotation holdfast.dev/begin-anew is there
  std::optional<LocationSeen> location{};
  control::Refusal no_location{};  ///< why there is none
  std::string access{};            ///< generation of the location, versions of its Secrets
  bool location_tried = false;     ///< as it is now: what its Secrets are is known
  std::string missing_secret{};    ///< which is not there, in words
  bool file_allowed = false;
  std::optional<WallTime> last_backup{};  ///< end of the last move that put something into it
  std::string moved_id{};                 ///< of the repository, as a mover has seen it
  std::optional<WallTime> last_missed{};  ///< a mover has found another one, or none
  std::vector<JobSeen> jobs{};
};

/// After backups it is looked at anew, but no more often.
inline constexpr std::chrono::hours kCountEvery{1};
/// A Job that has no pod by then may not be allowed to make one.
inline constexpr std::chrono::seconds kPodPatience{3};
/// Finished Jobs of each kind that are kept, for their logs.
inline constexpr size_t kJobsKept = 3;

control::Outcome plan_repository(const RepositorySeen& seen, const MoverSettings& settings);
std::string job_name(const RepositorySeen& seen, std::string_view kind, WallTime scheduled_for);

/// Weekly and daily, at times of its own: `seed` is drawn upon.
Repository::Maintenance default_maintenance(std::string_view seed);

}  // namespace holdfast::protect
