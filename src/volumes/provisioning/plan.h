/// Whether this machine makes the volume of a claim, and what it is; later, whether it grows. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "provisioning/source.h"
#include "storage.h"

#include <optional>
#include <string>

namespace holdfast::volumes::provisioning {

struct Seen {
  Claim claim{};
  std::optional<Class> storage_class{};
  std::optional<Volume> volume{};  ///< the one that it is bound to, or that we make for it
  std::string node{};              ///< this machine
  std::string provider{};
  std::string path{};  ///< where the volume would lie
  Source source{};
};

struct Step {
  bool make = false;  ///< the folder first, of the source if it has one, then the outcome
  control::Outcome outcome{};
};

/// "pvc-" and the claim's uid: made twice, it is made once.
std::string volume_name(const Claim& claim);
/// ProvisioningFailed, as a warning.
control::Note failed_note(std::string_view class_name, std::string_view why);

Step plan(const Seen& seen);

}  // namespace holdfast::volumes::provisioning
