#include "upkeep/prune_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::repo {
namespace {

/// Fewer small packs than this are not worth a copy.
constexpr size_t kFewestSmall = 10;

PackFate fate_of_marked(const PackUse& pack, const PruneOptions& options, WallTime now) {
  if (pack.used > 0) return PackFate::Revive;
  if (options.instant || now - *pack.marked >= options.keep_delete) return PackFate::Due;
  return PackFate::Waiting;
}

/// Trees first, which every reader reads; then where most is gained for what is copied.
bool better(const PackUse& a, const PackUse& b) {
  if (a.trees != b.trees) return a.trees;
  const double gain_a = double(a.unused) / double(a.used + 1);
  const double gain_b = double(b.unused) / double(b.used + 1);
  return gain_a != gain_b ? gain_a > gain_b : a.id < b.id;
}

class Decision {
 public:
  Decision(const std::vector<PackUse>& packs, const PruneOptions& options)
      : packs_(packs), options_(options), fates_(packs.size(), PackFate::Keep) {}

  Result<std::vector<PackFate>> decide(WallTime now) {
    uint64_t used = 0, unused = 0;
    for (size_t i = 0; i < packs_.size(); ++i) {
      const PackUse& pack = packs_[i];
      used += pack.used;
      if (pack.marked) {
        fates_[i] = fate_of_marked(pack, options_, now);
        if (fates_[i] == PackFate::Revive) unused += pack.unused;
      } else if (pack.used == 0) {
        fates_[i] = PackFate::Drop;
      } else {
        unused += pack.unused;
      }
    }
    const uint64_t limit = HF_TRY(unused_limit(options_.max_unused, used));
    for (const size_t i : candidates()) {
      const PackUse& pack = packs_[i];
      const bool asked = options_.repack_uncompressed && pack.uncompressed;
      if (!asked && !is_small(pack) && unused <= limit) continue;
      if (options_.max_repack_bytes > 0 && copied_ + pack.used > options_.max_repack_bytes)
        continue;
      fates_[i] = PackFate::Repack;
      copied_ += pack.used;
      unused -= pack.unused;
    }
    leave_a_lonely_small_one();
    return fates_;
  }

 private:
  bool is_small(const PackUse& pack) const {
    return small_ && pack.size * 10 < options_.pack_size * 8;
  }

  std::vector<size_t> candidates() {
    std::vector<size_t> found;
    size_t small = 0;
    for (size_t i = 0; i < packs_.size(); ++i)
      if (fates_[i] == PackFate::Keep && packs_[i].size * 10 < options_.pack_size * 8) ++small;
    small_ = options_.repack_small && small >= kFewestSmall;
    for (size_t i = 0; i < packs_.size(); ++i) {
      const PackUse& pack = packs_[i];
      if (fates_[i] != PackFate::Keep) continue;
      if (options_.repack_cacheable_only && !pack.trees) continue;
      if (pack.unused > 0 || is_small(pack) || (options_.repack_uncompressed && pack.uncompressed))
        found.push_back(i);
    }
    std::sort(found.begin(), found.end(),
              [this](size_t a, size_t b) { return better(packs_[a], packs_[b]); });
    return found;
  }

  /// A pack that is whole would be copied into one like itself.
  void leave_a_lonely_small_one() {
    for (const bool trees : {false, true}) {
      std::vector<size_t> copied;
      for (size_t i = 0; i < packs_.size(); ++i)
        if (fates_[i] == PackFate::Repack && packs_[i].trees == trees) copied.push_back(i);
      if (copied.size() != 1) continue;
      const PackUse& pack = packs_[copied.front()];
      const bool asked = options_.repack_uncompressed && pack.uncompressed;
      if (pack.unused == 0 && !asked) fates_[copied.front()] = PackFate::Keep;
    }
  }

  const std::vector<PackUse>& packs_;
  const PruneOptions& options_;
  std::vector<PackFate> fates_;
  bool small_ = false;
  uint64_t copied_ = 0;
};

}  // namespace

Result<uint64_t> unused_limit(std::string_view max_unused, uint64_t used) {
  const std::string_view whole = max_unused;
  if (max_unused == "unlimited") return UINT64_MAX;
  const auto wrong = [whole] {
    return Error(Fault::Invalid, fmt::format("\"{}\" is no limit for what is not used", whole))
        .with_hint("a percentage below 100%, a size like 10G, or unlimited");
  };
  const auto number = [](std::string_view from, auto& into) {
    const auto read = std::from_chars(from.data(), from.data() + from.size(), into);
    return !from.empty() && read.ec == std::errc() && read.ptr == from.data() + from.size();
  };
  if (max_unused.ends_with('%')) {
    double percent = 0;
    max_unused.remove_suffix(1);
    if (!number(max_unused, percent) || percent < 0 || percent >= 100) return wrong();
    return uint64_t(double(used) * percent / (100 - percent));
  }
  uint64_t bytes = 0;
  const size_t unit = max_unused.empty() ? std::string_view::npos
                                         : std::string_view("KMGT").find(max_unused.back());
  if (unit != std::string_view::npos) max_unused.remove_suffix(1);
  if (!number(max_unused, bytes)) return wrong();
  return unit == std::string_view::npos ? bytes : bytes << (10 * (unit + 1));
}

Result<std::vector<PackFate>> decide(const std::vector<PackUse>& packs, const PruneOptions& options,
                                     WallTime now) {
  return Decision(packs, options).decide(now);
}

}  // namespace holdfast::repo
