#include "backup/big_file.h"

#include <algorithm>

namespace holdfast::repo {

Expected::Expected(const IndexedRepository& index, const std::vector<Id>& content) {
  if (content.size() < 2) return;
  uint64_t at = 0;
  for (auto id = content.begin(); id + 1 != content.end(); ++id) {
    const std::optional<Location> where = index.find(BlobType::Data, *id);
    if (!where) return;
    begins_.push_back(at);
    ids_.push_back(*id);
    at += where->plain_length != 0 ? where->plain_length : where->length - kSealOverhead;
  }
  begins_.push_back(at);
}

void Expected::chunks_at(uint64_t offset, size_t most, std::vector<size_t>& ends,
                         std::vector<Id>& ids) const {
  const auto found = std::lower_bound(begins_.begin(), begins_.end(), offset);
  if (found == begins_.end() || *found != offset) return;
  for (auto next = size_t(found - begins_.begin()); next < ids_.size(); ++next) {
    const uint64_t end = begins_[next + 1] - offset;
    if (end > most) return;
    ends.push_back(size_t(end));
    ids.push_back(ids_[next]);
  }
}

void BigFile::found_wrong(uint64_t offset) {
  uint64_t known = wrong_at.load();
  while (offset < known && !wrong_at.compare_exchange_weak(known, offset)) {
  }
}

void BigFile::cut_back(uint64_t offset) {
  while (!parts.empty() && parts.back().offset >= offset) parts.pop_back();
  if (!parts.empty()) {
    Part& last = parts.back();
    while (!last.ends.empty() && last.offset + last.ends.back() > offset) {
      last.ends.pop_back();
      last.ids.pop_back();
    }
  }
  size = offset;
  wrong_at = kNowhere;
}

}  // namespace holdfast::repo
