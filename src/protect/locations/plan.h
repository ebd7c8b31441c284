/// Plan of a BackupLocation: its conditions, and the time of the next check. Pure: what is wanted
/// and what was seen, to one outcome.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/control/outcome.h>
#include <holdfast/control/refusal.h>
#include <holdfast/control/subject.h>
#include <holdfast/protect/types.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect {

inline constexpr std::chrono::seconds kTryEvery{60};

/// What came of trying it.
struct Trial {
  std::string reason{};  ///< "Answers", or why it cannot be used: AccessDenied, BucketNotFound, …
  std::string message{};  ///< names the thing and the way out
  bool good = false;
  bool unknown = false;  ///< only a mover can tell
  /// resourceVersions of its Secrets as they were read, "-" for one that is not there.
  std::string secret_versions{};
  std::string marker{};  ///< of a folder: by which it is known from now on
};

struct LocationLook : control::Subject {
  BackupLocation location{};
  std::vector<std::string> other_defaults{};     ///< of the same namespace
  bool file_allowed = false, file_here = false;  ///< as MoverSettings says
  bool is_admin = false;                         ///< the namespace is an administrators' one
  std::vector<std::string> repositories{};  ///< names of those that are known to hold something
  control::Refusal lost{};       ///< what a Repository of it says: it is gone, or another one
  std::optional<Trial> trial{};  ///< if it was asked for
};

/// What plan_location asks for: `trial`, that is to try the location itself.
inline constexpr std::string_view kTry = "try";

control::Outcome plan_location(const LocationLook& seen);

/// What is wrong with the wish itself: "" if nothing is.
std::string objection(const BackupLocation::Spec& spec);

}  // namespace holdfast::protect
