#include "trees/waiting_trees.h"

#include <algorithm>

namespace holdfast::repo {
namespace {

/// Sealed bytes that are read at once; gaps are read through up to this.
constexpr uint64_t kRun = uint64_t{2} << 20, kGap = uint64_t{64} << 10;

}  // namespace

void WaitingTrees::add(size_t position) {
  by_pack_[table_.pack_at(BlobType::Tree, position)].push_back(uint32_t(position));
}

TreeRun WaitingTrees::take() {
  const auto most = std::max_element(
      by_pack_.begin(), by_pack_.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  std::vector<uint32_t>& waiting = most->second;
  const auto where = [this](uint32_t at) { return table_.location_at(BlobType::Tree, at); };
  std::sort(waiting.begin(), waiting.end(),
            [&where](uint32_t a, uint32_t b) { return where(a).offset < where(b).offset; });
  TreeRun run{.begin = where(waiting.front()).offset, .end = where(waiting.front()).offset};
  size_t count = 0;
  for (; count < waiting.size(); ++count) {
    const Location next = where(waiting[count]);
    const uint64_t end = std::max(run.end, uint64_t(next.offset) + next.length);
    if (count > 0 && (next.offset > run.end + kGap || end - run.begin > kRun)) break;
    run.end = end;
  }
  run.positions.assign(waiting.begin(), waiting.begin() + std::ptrdiff_t(count));
  waiting.erase(waiting.begin(), waiting.begin() + std::ptrdiff_t(count));
  if (waiting.empty()) by_pack_.erase(most);
  return run;
}

}  // namespace holdfast::repo
