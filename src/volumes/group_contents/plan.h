/// What this machine does about one VolumeGroupSnapshotContent: one cut of all its volumes, or a
/// reason why there can be none. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "groups/objects.h"
#include "storage.h"

#include <map>
#include <optional>

namespace holdfast::volumes::group_contents {

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
  WallTime now{};
};

struct Step {
  enum class Do {
    Leave,    ///< the outcome, nothing else
    Cut,      ///< `sizes` of namespace `ns` as `cut`; then report_cut or report_trouble
    Inspect,  ///< whether `cut` is there; then the same
    Release,  ///< all of `cut`; then the outcome
  };
  Do what = Do::Leave;
  std::string cut{}, ns{};
  std::map<std::string, int64_t> sizes{};
  control::Outcome outcome{};
};

Step plan(const Seen& seen);

/// The status of a content whose cut is there.
control::Outcome report_cut(const Seen& seen, const std::string& id, const Cut& cut);
control::Outcome report_trouble(const GroupContent& content, const Error& why, WallTime now);

}  // namespace holdfast::volumes::group_contents
