/// Decorators of a store: retries, limits, counters, a local cache.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/base/sleep.h>
#include <holdfast/blob/store.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>

namespace holdfast::blob {

/// How to wait. Clock and Random outlive the store.
struct Waiting {
  const Clock& clock;
  Random& random;
  Sleep sleep = sleep_until_stopped();
  /// Ends a pause; the failure that led to it is then returned. Of a bucket it also ends what is
  /// under way; what is begun afterwards, as the removal of a lock, has little time.
  std::stop_token stop{};
};

struct RetryPolicy {
  std::chrono::milliseconds first{500}, longest{60000};
  std::chrono::milliseconds give_up{900000};  ///< since the first try; 0 = no second try
  /// Hears of each retry: "PUT data/ab/…: 503 SlowDown: … (next try in 8 s)".
  std::function<void(const std::string&)> said{};
};

/// Unavailable is tried again with growing, jittered pauses; everything else is returned at once. A
/// listing that is begun anew hands out only names that it has not handed out yet.
std::unique_ptr<Store> retrying(std::unique_ptr<Store> inner, RetryPolicy policy, Waiting waiting);

/// Can be changed while transfers run; 0 = no limit.
struct Limits {
  std::atomic<uint64_t> up_bytes_per_second{0}, down_bytes_per_second{0};
  std::atomic<int> operations{0};  ///< at once; a listing counts as one
};
/// A transfer begins when those before it have had their time at the rate of that moment; one that
/// still waits when `waiting.stop` is asked for is Unavailable and never begins, but for the little
/// that closes a run and has its turn soon. A bucket can do better, and spreads the bytes of a
/// transfer evenly: see S3Settings::limits.
std::unique_ptr<Store> limited(std::unique_ptr<Store> inner, std::shared_ptr<const Limits> limits,
                               Waiting waiting);

struct Traffic {
  std::atomic<uint64_t> puts{0}, gets{0}, stats{0}, lists{0}, removes{0}, failures{0};
  std::atomic<uint64_t> bytes_up{0}, bytes_down{0};
  std::atomic<uint64_t> puts_refused{0};  ///< for good (Invalid): there is no room, most often
};
/// A name that is not there is an answer, not a failure.
std::unique_ptr<Store> counted(std::unique_ptr<Store> inner, std::shared_ptr<Traffic> traffic);

/// Keeps a copy of blobs under `prefixes` whose last name is the SHA-256 of their bytes in a
/// folder, and reads them from there. A copy is checked before it is believed, once in the life of
/// this store; a damaged one is fetched anew. Ranges come from a copy if there is one, and make
/// none. Copies of blobs that a listing no longer shows are dropped. A cache that cannot be written
/// is as good as none.
std::unique_ptr<Store> cached(std::unique_ptr<Store> inner, const std::filesystem::path& folder,
                              std::vector<std::string> prefixes);

}  // namespace holdfast::blob
