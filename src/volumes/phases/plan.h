/// Phases of a volume as its claim comes, stays or goes, one next step at a time, as
/// kube-controller-manager decides it. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "storage.h"

#include <optional>

namespace holdfast::volumes::phases {

struct Seen {
  Volume volume{};
  /// The claim of claimRef's name, whatever its uid. That it is gone was asked of the server
  /// itself: a volume that is released can be deleted, so no cache decides it.
  std::optional<Claim> claim{};
};

control::Outcome plan(const Seen& seen);

}  // namespace holdfast::volumes::phases
