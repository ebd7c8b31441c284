/// Check of a repository: structure, and if asked the data of all or some packs. Nothing is
/// changed, no exclusive lock is needed, and damage does not end it.
#pragma once

#include <holdfast/repo/snapshot.h>

#include <filesystem>
#include <optional>
#include <stop_token>

namespace holdfast::repo {

struct CheckOptions {
  enum class Data { None, All, Part, Share, Bytes } data = Data::None;
  uint64_t part = 0, parts = 0;  ///< n/t: packs whose first byte modulo t is n - 1, as in restic
  double share = 0;              ///< of the packs, chosen by chance; 1 = all
  uint64_t bytes = 0;            ///< so many, in packs chosen by chance
  /// A local file that remembers when each pack was last read and good; with it chance chooses only
  /// among those that were read equally long ago. Empty: nothing is remembered.
  std::filesystem::path record{};
  /// Packs that were good so recently are not read again.
  std::chrono::seconds good_for{0};
  int threads = 4;  ///< each holds one pack; more than cores, as some wait for the store
  Scratch scratch{};
};

/// "3/7", "2.5%", "10G" as restic's --read-data-subset says it.
Result<CheckOptions> parse_subset(std::string_view text);

struct Damage {
  std::string place{};  ///< "pack 3f2a…", "index …", "snapshot …", "tree …", "blob … of pack …"
  std::string what{};
  bool hint = false;  ///< no data is at risk
};

/// A file or folder that cannot be restored as it was.
struct Affected {
  Id snapshot{};
  std::string path{};
  std::string what{};
};

struct CheckResult {
  std::vector<Damage> damages{};
  /// At most a thousand; `affected_more` says how many there are beyond.
  std::vector<Affected> affected{};
  uint64_t affected_more = 0;
  uint64_t snapshots = 0, indexes = 0, packs = 0, blobs = 0, trees = 0;
  uint64_t packs_read = 0, bytes_read = 0;
  uint64_t packs_left_out = 0;    ///< read and good not longer ago than `good_for`
  uint64_t packs_never_read = 0;  ///< as far as the record knows
  /// When the pack that was read longest ago was read: everything is proven to be good as of then.
  /// Nothing while there is a pack that was never read.
  std::optional<WallTime> proven{};
  bool good() const;  ///< nothing but hints
};

struct CheckProgress {
  enum class Stage { Index, Packs, Trees, Data } stage = Stage::Index;
  uint64_t done = 0, all = 0;  ///< all = 0: not known
};

/// The caller holds a lock that is not exclusive. An error only if the store fails or it was asked
/// to stop; all that is wrong with the repository is in the result.
Result<CheckResult> check(Opened& repository, const CheckOptions& options,
                          const std::function<void(const CheckProgress&)>& progress,
                          const std::stop_token& stop);

}  // namespace holdfast::repo
