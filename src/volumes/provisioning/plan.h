/// Provisioning of a claim on this machine: its volume, and later its growth. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "provisioning/source.h"
#include "storage.h"

#include <optional>
#include <string>

namespace holdfast::volumes::provisioning {

/// What the plan asks for: the folder of the volume, of the source if it has one. It may be there
/// already.
inline constexpr const char* kMakeFolder = "make-folder";

struct Seen {
  Claim claim{};
  std::optional<Class> storage_class{};
  std::optional<Volume> volume{};  ///< the one that it is bound to, or that we make for it
  std::string node{};              ///< this machine
  std::string provider{};
  std::string path{};  ///< where the volume would lie
  Source source{};
  std::optional<Result<void>> made{};  ///< what came of kMakeFolder
};

/// "pvc-" and the claim's uid: made twice, it is made once.
std::string volume_name(const Claim& claim);

control::Outcome plan(const Seen& seen);

}  // namespace holdfast::volumes::provisioning
