// The data of all or some packs, and what is remembered of it.
#include <holdfast/base/text.h>

#include "upkeep/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <thread>

namespace holdfast::repo {
namespace {

/// So many packs that cannot be read are damage; more, and the store is away.
constexpr int kMostFailures = 32;

bool wanted(const CheckOptions& options, const Id& pack) {
  if (options.data == CheckOptions::Data::None) return false;
  if (options.data != CheckOptions::Data::Part) return true;
  return pack.bytes[0] % options.parts == options.part - 1;
}

}  // namespace

Result<CheckOptions> parse_subset(std::string_view text) {
  const Error wrong = Error(Fault::Invalid, fmt::format("\"{}\" is no part of the data", text))
                          .with_hint(
                              "n/t with 1 ≤ n ≤ t ≤ 256, a percentage like 2.5%, or a size "
                              "like 500M");
  CheckOptions out;
  const auto number = [](std::string_view from, auto& into) {
    const auto read = std::from_chars(from.data(), from.data() + from.size(), into);
    return read.ec == std::errc() && read.ptr == from.data() + from.size() && into > 0;
  };
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    out.data = CheckOptions::Data::Part;
    if (number(text.substr(0, slash), out.part) && number(text.substr(slash + 1), out.parts) &&
        out.part <= out.parts && out.parts <= 256)
      return out;
    return wrong.copy();
  }
  if (text.ends_with('%')) {
    out.data = CheckOptions::Data::Share;
    if (!number(text.substr(0, text.size() - 1), out.share) || out.share > 100) return wrong.copy();
    out.share /= 100;
    return out;
  }
  out.data = CheckOptions::Data::Bytes;
  const size_t unit =
      text.empty() ? std::string_view::npos : std::string_view("KMGT").find(text.back());
  if (unit != std::string_view::npos) text.remove_suffix(1);
  if (!number(text, out.bytes)) return wrong.copy();
  if (unit != std::string_view::npos) out.bytes <<= 10 * (unit + 1);
  return out;
}

void Checker::choose_by_chance(std::vector<uint32_t>& packs) {
  Random& random = repository_.surroundings().random;
  for (size_t i = packs.size(); i > 1; --i) std::swap(packs[i - 1], packs[random.below(i)]);
  // What was never read comes first, then what was read longest ago: one check after the other, all
  // of it is read.
  const auto last_read = [this](uint32_t pack) {
    const auto known = record_.find(survey_.pack_id(pack));
    return known == record_.end() ? WallTime::min() : known->second;
  };
  std::stable_sort(packs.begin(), packs.end(),
                   [&last_read](uint32_t a, uint32_t b) { return last_read(a) < last_read(b); });
  size_t count = packs.size();
  if (options_.data == CheckOptions::Data::Share)
    count = size_t(std::llround(double(packs.size()) * options_.share));
  if (options_.data == CheckOptions::Data::Bytes) {
    uint64_t sum = 0;
    for (count = 0; count < packs.size() && sum < options_.bytes; ++count)
      sum += survey_.packs[packs[count]].size;
  }
  // A part of something is never nothing.
  packs.resize(std::min(packs.size(), std::max<size_t>(count, 1)));
}

std::vector<uint32_t> Checker::choose_packs() {
  std::vector<uint32_t> packs;
  uint64_t left_out = 0;
  const WallTime now = repository_.surroundings().clock.now();
  for (uint32_t pack = 0; pack < survey_.packs.size(); ++pack) {
    const Id& id = survey_.pack_id(pack);
    if (!wanted(options_, id) || !survey_.packs[pack].marked_at.empty()) continue;
    if (find_pack(stored_, id) == nullptr) continue;
    const auto known = record_.find(id);
    if (known != record_.end() && now - known->second < options_.good_for)
      ++left_out;
    else
      packs.push_back(pack);
  }
  if (options_.data == CheckOptions::Data::Share || options_.data == CheckOptions::Data::Bytes)
    choose_by_chance(packs);
  std::sort(packs.begin(), packs.end(),
            [this](uint32_t a, uint32_t b) { return survey_.pack_id(a) < survey_.pack_id(b); });
  const Lock lock(mutex_);
  result_.packs_left_out = left_out;
  return packs;
}

Result<void> Checker::check_data() {
  const std::vector<uint32_t> packs = choose_packs();
  for (const uint32_t pack : packs) bytes_all_ += survey_.packs[pack].size;
  return read_packs(packs);
}

Result<void> Checker::read_packs(const std::vector<uint32_t>& packs) {
  std::optional<Error> failed;
  const auto work = [&] {
    Result<void> read = read_until_done(packs);
    const Lock lock(mutex_);
    if (!read && !failed) failed = read.take_error();
  };
  {
    std::vector<std::jthread> helpers;
    for (int i = 1; i < options_.threads && packs.size() > 1; ++i) helpers.emplace_back(work);
    work();
  }
  if (failed) return std::move(*failed);
  return ok();
}

Result<void> Checker::read_until_done(const std::vector<uint32_t>& packs) {
  PackVerifier verifier(survey_.index->workshop());
  std::string bytes;
  for (size_t at = next_++; at < packs.size(); at = next_++) {
    if (stop_.stop_requested()) return Error(Fault::Unavailable, "stopped");
    HF_TRY(read_pack(verifier, packs[at], bytes));
  }
  return ok();
}

Result<void> Checker::read_pack(PackVerifier& verifier, uint32_t pack, std::string& bytes) {
  const Id& id = survey_.pack_id(pack);
  const std::vector<PackedBlob> blobs = contents_->blobs(pack);
  // What looks damaged is read once more: a bad cable is not a bad pack.
  for (int reading = 1;; ++reading) {
    Result<void> read = repository_.store().read(place_of(FileType::Pack, id), {}, bytes);
    PackVerdict verdict;
    if (read) {
      verdict = verifier.verify(id, blobs, bytes);
    } else {
      verdict.damages.push_back({fmt::format("pack {}", id.hex()), read.error().what()});
      for (const PackedBlob& blob : blobs) verdict.bad.emplace_back(blob.type, blob.id);
    }
    if (!verdict.damages.empty() && reading == 1) continue;
    note(pack, read ? bytes.size() : 0, std::move(verdict));
    if (read || read.error().fault() == Fault::NotFound) return ok();
    const Lock lock(mutex_);
    if (++failures_ > kMostFailures) return read.take_error();
    return ok();
  }
}

void Checker::note(uint32_t pack, uint64_t bytes, PackVerdict verdict) {
  const Lock lock(mutex_);
  ++result_.packs_read;
  result_.bytes_read += bytes;
  const Id& id = survey_.pack_id(pack);
  if (verdict.damages.empty())
    record_[id] = repository_.surroundings().clock.now();
  else
    record_.erase(id);
  for (const auto& [type, blob] : verdict.bad) bad_copy(type, blob, verdict.damages.front().what);
  for (Damage& found : verdict.damages) result_.damages.push_back(std::move(found));
  progress_({CheckProgress::Stage::Data, result_.bytes_read, bytes_all_});
}

void Checker::remember() {
  const Lock lock(mutex_);
  CheckRecord kept;
  for (uint32_t pack = 0; pack < survey_.packs.size(); ++pack) {
    if (!survey_.packs[pack].marked_at.empty()) continue;
    const auto known = record_.find(survey_.pack_id(pack));
    if (known == record_.end()) {
      ++result_.packs_never_read;
      continue;
    }
    kept.insert(*known);
    if (!result_.proven || known->second < *result_.proven) result_.proven = known->second;
  }
  if (result_.packs_never_read > 0) result_.proven.reset();
  if (options_.record.empty()) return;
  // What is not remembered is only read again.
  const Result<void> written = write_check_record(options_.record, repository_.config().id, kept);
  if (!written) result_.damages.push_back({options_.record.string(), written.error().what(), true});
}

}  // namespace holdfast::repo
