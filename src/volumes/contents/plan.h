/// Plan of one VolumeSnapshotContent on this machine: cut, look at what is there, or let it go;
/// what the sidecar of a CSI driver does. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "snapshots/objects.h"
#include "storage.h"

#include <optional>

namespace holdfast::volumes::contents {

/// What the plan asks for, of member_of(content). Each may have been done already.
inline constexpr const char* kCut = "cut";
inline constexpr const char* kInspect = "inspect";  ///< whether it is there
inline constexpr const char* kRelease = "release";

struct Seen {
  Content content{};
  std::optional<Snapshot> snapshot{};      ///< of the reference's name and uid, asked of the server
  std::optional<Volume> volume{};          ///< of spec.source.volumeHandle
  std::optional<Claim> claim{};            ///< the volume's
  std::string node{};                      ///< this machine
  std::optional<Result<Cut>> cut{};        ///< what came of kCut or kInspect
  std::optional<Result<void>> released{};  ///< what came of kRelease
  WallTime now{};
};

/// What the content stands for here, whether it is cut yet or not.
CutMember member_of(const Content& content);

control::Outcome plan(const Seen& seen);

}  // namespace holdfast::volumes::contents
