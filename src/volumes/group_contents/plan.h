/// Plan of one VolumeGroupSnapshotContent on this machine: one cut of all its volumes, or a reason
/// why there can be none. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "groups/objects.h"
#include "storage.h"

#include <map>
#include <optional>

namespace holdfast::volumes::group_contents {

/// What the plan asks for, of target_of(seen). Each may have been done already.
inline constexpr const char* kCut = "cut";
inline constexpr const char* kInspect = "inspect";  ///< whether it is there
inline constexpr const char* kRelease = "release";  ///< all of it

struct Source {
  Volume volume{};
  std::optional<VolumeFolder> folder{};  ///< where it lies on this machine
  bool claim_going = false;
};

struct Seen {
  GroupContent content{};
  std::optional<Group> group{};  ///< of the reference's name and uid, asked of the server
  std::map<std::string, Source> sources{};  ///< those of spec.source.volumeHandles that are there
  std::string node{};                       ///< this machine
  std::string provider{};
  bool cuts_groups = false;
  std::optional<Result<Cut>> cut{};        ///< what came of kCut or kInspect
  std::optional<Result<void>> released{};  ///< what came of kRelease
  WallTime now{};
};

/// What the content stands for here, whether it is cut yet or not; `ns` and `sizes` of the sources
/// that lie here.
struct Target {
  std::string cut{}, ns{};
  std::map<std::string, int64_t> sizes{};
};
Target target_of(const Seen& seen);

control::Outcome plan(const Seen& seen);

}  // namespace holdfast::volumes::group_contents
