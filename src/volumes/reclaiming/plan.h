/// Reclaiming of released volumes that this machine made. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "storage.h"

#include <optional>
#include <string>

namespace holdfast::volumes::reclaiming {

/// What the plan asks for: the volume's folder goes. It may be gone already.
inline constexpr const char* kRemoveFolder = "remove-folder";

struct Seen {
  Volume volume{};
  std::string node{};                     ///< this machine
  std::optional<Result<void>> removed{};  ///< what came of kRemoveFolder
};

control::Outcome plan(const Seen& seen);

}  // namespace holdfast::volumes::reclaiming
