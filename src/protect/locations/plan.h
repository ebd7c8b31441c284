/// Whether a location is good, and when it is tried again. Pure: what is wanted and what was seen,
/// to one step.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/control/write.h>
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
};

struct LocationLook {
  BackupLocation location{};
  std::string ns{}, name{};
  int64_t generation = 0;
  bool deleting = false;
  std::string secret_versions{};                 ///< of its Secrets, as they are now
  std::vector<std::string> other_defaults{};     ///< of the same namespace
  bool file_allowed = false, file_here = false;  ///< as MoverSettings says
  std::optional<Trial> trial{};
  WallTime now{};
};

struct LocationStep {
  enum class Kind {
    None,    ///< nothing to do until something changes
    Wait,    ///< look again after `again`
    Try,     ///< ask the location itself, and plan again with what came of it
    Report,  ///< `status` is to be written
  };
  Kind kind = Kind::None;
  BackupLocation::Status status{};
  std::optional<control::Note> note{};
  std::chrono::milliseconds again{0};
};

LocationStep plan_location(const LocationLook& seen);

/// What is wrong with the wish itself: "" if nothing is.
std::string objection(const BackupLocation::Spec& spec);

}  // namespace holdfast::protect
