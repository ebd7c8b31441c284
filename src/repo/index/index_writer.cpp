#include "index/index_writer.h"

namespace holdfast::repo {

Result<void> IndexWriter::add(IndexedPack pack) {
  blobs_ += pack.blobs.size();
  packs_.push_back(std::move(pack));
  if (blobs_ < kMostBlobs) return ok();
  return finish();
}

Result<void> IndexWriter::finish() {
  if (packs_.empty()) return ok();
  written_.push_back(HF_TRY(repository_.save(FileType::Index, index_to_json(packs_))));
  packs_.clear();
  blobs_ = 0;
  return ok();
}

}  // namespace holdfast::repo
