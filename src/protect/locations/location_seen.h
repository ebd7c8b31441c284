/// State of a BackupLocation as observed, for plans that depend on it.
#pragma once

#include <holdfast/protect/types.h>

#include <string>

namespace holdfast::protect {

struct LocationSeen {
  std::string ns{}, name{}, uid{};
  BackupLocation location{};
  int64_t generation = 0;
};

}  // namespace holdfast::protect
