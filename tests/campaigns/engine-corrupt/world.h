/// A whole repository, what is in it, and what each file of it needs.
#pragma once

#include "engine-corrupt/overlay.h"
#include "upkeep/sample.h"

#include <set>

namespace holdfast::campaign {

/// A stretch of a stored file.
struct Place {
  std::string name{};
  uint64_t offset = 0, length = 0;
};

struct NeededBlob {
  repo::BlobType type = repo::BlobType::Data;
  repo::Id id{};
  auto operator<=>(const NeededBlob&) const = default;
};

struct StoredFile {
  std::string path{}, bytes{};
  std::vector<NeededBlob> needs{};  ///< its data, and the trees on the way to it
};

struct StoredSnapshot {
  repo::Snapshot snapshot{};
  std::vector<StoredFile> files{};
};

class World {
 public:
  explicit World(uint64_t seed);

  Overlay& store() { return *store_; }
  /// As somebody finds it who opens it now.
  std::unique_ptr<repo::KeyedRepository> open() { return sample_.open(); }
  const std::vector<StoredSnapshot>& snapshots() const { return snapshots_; }
  /// Where a blob is, and which index says so. In the whole repository each is there once.
  const Place& place(const NeededBlob& blob) const { return places_.at(blob); }
  const std::string& index_of(const std::string& pack) const { return index_of_.at(pack); }
  std::vector<std::string> names(const std::string& prefix) const;

 private:
  void back_up(SeededRandom& chance);
  void learn_places();
  StoredSnapshot learn(const repo::Snapshot& snapshot, const repo::Sample::Files& files);

  repo::Sample sample_;
  repo::Sample::Files files_;
  std::shared_ptr<Overlay> store_;
  std::vector<std::pair<repo::Snapshot, repo::Sample::Files>> made_;
  std::vector<StoredSnapshot> snapshots_;
  std::map<NeededBlob, Place> places_;
  std::map<std::string, std::string> index_of_;
};

}  // namespace holdfast::campaign
