/// The rounds of the kill campaign.
#pragma once

#include <holdfast/base/clock.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace holdfast::campaign {

struct KillSettings {
  int count = 5;
  uint64_t seed = 1;
  std::string server;          ///< the holdfast binary
  std::filesystem::path work;  ///< a folder of the campaign's own is made in it
};

/// Tells each round and the sum on stdout; returns how many rounds failed.
int run_kill(const KillSettings& settings, const Clock& clock);

}  // namespace holdfast::campaign
