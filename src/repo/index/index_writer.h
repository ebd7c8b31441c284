/// Writer of index files, of the size that restic gives them.
#pragma once

#include "index/indexed.h"

namespace holdfast::repo {

class IndexWriter {
 public:
  /// Of one file; restic cuts there too.
  static constexpr size_t kMostBlobs = 50000;

  explicit IndexWriter(Opened& repository) : repository_(repository) {}
  Result<void> add(IndexedPack pack);
  Result<void> finish();
  const std::vector<Id>& written() const { return written_; }

 private:
  Opened& repository_;
  std::vector<IndexedPack> packs_;
  size_t blobs_ = 0;
  std::vector<Id> written_;
};

}  // namespace holdfast::repo
