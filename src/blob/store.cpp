// Operations that all stores implement alike.
#include <holdfast/blob/store.h>

#include <algorithm>
#include <numeric>

namespace holdfast::blob {

Result<std::string> Store::get(const std::string& name, std::optional<Range> range) {
  std::string bytes;
  HF_TRY(read(name, range, bytes));
  return bytes;
}

Result<std::vector<std::string>> Store::remove_all(const std::vector<std::string>& names) {
  std::vector<std::string> stayed;
  std::optional<Error> first;
  for (const std::string& name : names) {
    Result<void> removed = remove(name);
    if (removed) continue;
    stayed.push_back(name);
    if (!first) first = removed.take_error();
  }
  if (!names.empty() && stayed.size() == names.size()) return std::move(*first);
  return stayed;
}

Result<void> get_ranges(
    Store& store, const std::string& name, std::span<const Range> ranges,
    const std::function<Result<void>(size_t index, std::string_view bytes)>& each, uint64_t gap,
    uint64_t most) {
  std::vector<size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&ranges](size_t a, size_t b) { return ranges[a].offset < ranges[b].offset; });
  std::string bytes;
  for (size_t first = 0; first < order.size();) {
    const uint64_t begin = ranges[order[first]].offset;
    uint64_t end = begin + ranges[order[first]].length;
    size_t last = first + 1;
    for (; last < order.size(); ++last) {
      const Range& next = ranges[order[last]];
      const uint64_t next_end = std::max(end, next.offset + next.length);
      if (next.offset > end + gap || next_end - begin > most) break;
      end = next_end;
    }
    HF_TRY(store.read(name, Range{begin, end - begin}, bytes));
    for (; first < last; ++first) {
      const Range& range = ranges[order[first]];
      HF_TRY(
          each(order[first], std::string_view(bytes).substr(range.offset - begin, range.length)));
    }
  }
  return ok();
}

}  // namespace holdfast::blob
