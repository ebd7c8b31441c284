/// What this machine does about one VolumeSnapshotContent: cut, look at what is there, or let it
/// go; what the sidecar of a CSI driver does. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "snapshots/objects.h"
#include "storage.h"

#include <optional>

namespace holdfast::volumes::contents {

struct Seen {
  Content content{};
  std::optional<Snapshot> snapshot{};  ///< of the reference's name and uid, asked of the server
  std::optional<Volume> volume{};      ///< of spec.source.volumeHandle
  std::optional<Claim> claim{};        ///< the volume's
  std::string node{};                  ///< this machine
  WallTime now{};
};

struct Step {
  enum class Do {
    Leave,    ///< the outcome, nothing else
    Cut,      ///< the volume, as `member`; then report_cut or report_trouble
    Inspect,  ///< whether `member` is there; then the same
    Release,  ///< `member`; then the outcome
  };
  Do what = Do::Leave;
  CutMember member{};
  control::Outcome outcome{};
};

Step plan(const Seen& seen);

/// The status of a content whose cut is there.
control::Outcome report_cut(const Content& content, const SnapshotHandle& handle, const Cut& cut);
control::Outcome report_trouble(const Content& content, const Error& why, WallTime now);

}  // namespace holdfast::volumes::contents
