/// What becomes of a released volume that this machine made. Pure.
#pragma once

#include <holdfast/control/outcome.h>

#include "storage.h"

#include <string>

namespace holdfast::volumes::reclaiming {

struct Seen {
  Volume volume{};
  std::string node{};  ///< this machine
};

struct Step {
  bool remove = false;  ///< the folder first, then the outcome
  control::Outcome outcome{};
};

Step plan(const Seen& seen);

}  // namespace holdfast::volumes::reclaiming
