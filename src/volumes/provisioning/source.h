/// Source of a new volume: nothing, a snapshot, or another claim's volume.
#pragma once

#include <holdfast/control/reconciler.h>

#include "known.h"
#include "storage.h"

#include <string>

namespace holdfast::volumes::provisioning {

struct Source {
  enum class Kind {
    None,
    Snapshot,
    Claim,
    Foreign,  ///< a kind that somebody else makes volumes of
  };
  Kind kind = Kind::None;
  std::string problem{};    ///< why it cannot be used now; "" = it can
  CutMember snapshot{};     ///< of Snapshot
  VolumeFolder claim{};     ///< of Claim
  model::Quantity least{};  ///< the new volume must be so large
};

/// By spec.dataSourceRef, or spec.dataSource where that is all there is.
Source look_at_source(control::Pass& pass, const Claim& claim, const Local& local);

}  // namespace holdfast::volumes::provisioning
