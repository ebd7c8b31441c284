/// The stores there are, and what can be put around them.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/blob/store.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>

namespace holdfast::blob {

/// A folder. A blob is written beside its place as NAME-tmp-RANDOM, synced, renamed, and the folder
/// synced; files are 0400 in folders of 0700, as restic has them.
Result<std::unique_ptr<Store>> file_store(const std::filesystem::path& folder, bool create);

/// For tests and the simulation.
std::unique_ptr<Store> memory_store();

struct RetryPolicy {
  std::chrono::milliseconds first{500}, longest{60000};
  std::chrono::milliseconds give_up{900000};  ///< since the first try
};
/// Unavailable is tried again with growing, jittered pauses; everything else is returned at once.
/// `said` hears of each retry: "PUT data/ab/…: 503 Slow Down (will retry in 8 s)".
std::unique_ptr<Store> retrying(std::unique_ptr<Store> inner, RetryPolicy policy,
                                const Clock& clock, Random& random,
                                std::function<void(std::chrono::milliseconds)> sleep,
                                std::function<void(const std::string&)> said);

/// Can be changed while transfers run; 0 = no limit.
struct Limits {
  std::atomic<uint64_t> up_bytes_per_second{0}, down_bytes_per_second{0};
  std::atomic<int> operations{0};  ///< at once
};
std::unique_ptr<Store> limited(std::unique_ptr<Store> inner, std::shared_ptr<const Limits> limits,
                               const Clock& clock,
                               std::function<void(std::chrono::microseconds)> sleep);

struct Traffic {
  std::atomic<uint64_t> puts{0}, gets{0}, lists{0}, removes{0}, failures{0};
  std::atomic<uint64_t> bytes_up{0}, bytes_down{0};
};
std::unique_ptr<Store> counted(std::unique_ptr<Store> inner, std::shared_ptr<Traffic> traffic);

/// Keeps a copy of blobs under `prefixes` in a folder, and reads them from there. Names are hashes of
/// the content, so a copy is checked before it is believed; damaged or missing copies are fetched
/// anew. Blobs that the inner store no longer lists are dropped on list().
std::unique_ptr<Store> cached(std::unique_ptr<Store> inner, std::filesystem::path folder,
                              std::vector<std::string> prefixes);

}  // namespace holdfast::blob
