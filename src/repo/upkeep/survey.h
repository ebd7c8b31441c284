/// All that the index files of a repository say, and which of them says it.
#pragma once

#include <holdfast/repo/check.h>

#include "index/indexed.h"

#include <unordered_map>

namespace holdfast::repo {

struct SurveyedPack {
  uint64_t size = 0;  ///< of the whole file, as the index would have it; 0 = it does not say
  uint32_t blobs = 0;
  bool data = false, trees = false;
  std::string marked_at{};  ///< when it was marked for deletion; "" = in use
  bool fits(uint64_t stored) const { return size == 0 || size == stored; }
};

struct SurveyedFile {
  Id id{};
  std::vector<uint32_t> packs{};  ///< numbers within the table's packs()
};

struct Survey {
  std::unique_ptr<IndexedRepository> index{};
  std::vector<SurveyedPack> packs{};  ///< by number; those in use come first
  std::vector<SurveyedFile> files{};
  std::vector<Damage> damages{};
  const IndexTable& table() const { return index->table(); }
  const Id& pack_id(uint32_t pack) const { return table().packs()[pack]; }
};

/// Index files that do not load are a damage each; those that go away meanwhile are replaced by the
/// ones that came.
Result<Survey> survey(KeyedRepository& repository, const Scratch& scratch,
                      const std::function<void(const CheckProgress&)>& progress,
                      const std::stop_token& stop);

/// Which blobs each pack holds: four bytes a blob.
class PackContents {
 public:
  explicit PackContents(const Survey& survey);
  struct Place {
    BlobType type = BlobType::Data;
    size_t position = 0;  ///< within the table
  };
  std::vector<Place> places(uint32_t pack) const;
  /// In the order of offsets.
  std::vector<PackedBlob> blobs(uint32_t pack) const;

 private:
  const IndexTable& table_;
  std::vector<uint64_t> begin_;      ///< by pack, and one more
  std::vector<uint32_t> positions_;  ///< trees after data
};

struct StoredPack {
  Id id{};
  uint64_t size = 0;
};
/// Sorted by id. Files that lie where no pack of their name belongs go to `stray`.
Result<std::vector<StoredPack>> list_packs(Opened& repository,
                                           const std::function<void(const std::string&)>& stray);
const StoredPack* find_pack(const std::vector<StoredPack>& packs, const Id& id);

}  // namespace holdfast::repo
