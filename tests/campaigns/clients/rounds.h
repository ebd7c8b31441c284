/// The rounds of the hostile clients' campaign.
#pragma once

#include <holdfast/base/clock.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

namespace holdfast::campaign {

struct ClientsSettings {
  int count = 1;
  uint64_t seed = 1;
  std::string server;          ///< the holdfast binary
  std::filesystem::path work;  ///< a folder of the campaign's own is made in it
  size_t connections = 5000;
  size_t watchers = 20;  ///< that never read
  size_t events = 50000;
  int64_t rss_mib = 384;              ///< the server must stay below
  std::chrono::seconds patience{90};  ///< for slow watchers to be dropped; 0: need not be
};

/// Tells each round and the sum on stdout; returns how many rounds failed.
int run_clients(const ClientsSettings& settings, const Clock& clock);

}  // namespace holdfast::campaign
