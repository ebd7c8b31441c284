#include "faults/faults.h"

#include <holdfast/base/text.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace holdfast::sim {
namespace {

struct Name {
  Do what;
  std::string_view text;
};

constexpr Name kNames[] = {
    {Do::CrashBeforeWrite, "crash-before-write"},
    {Do::CrashBeforeReply, "crash-before-reply"},
    {Do::CrashAfterReply, "crash-after-reply"},
    {Do::LoseReply, "lose-reply"},
    {Do::LoseRequest, "lose-request"},
    {Do::Answer, "answer"},
    {Do::WatchDrop, "watch-drop"},
    {Do::WatchDelay, "watch-delay"},
    {Do::WatchDuplicate, "watch-duplicate"},
    {Do::WatchCoalesce, "watch-coalesce"},
    {Do::Relist, "relist"},
    {Do::StaleList, "stale-list"},
    {Do::Pause, "pause"},
    {Do::ClockJump, "clock-jump"},
    {Do::PodLost, "pod-lost"},
    {Do::PodDeleted, "pod-deleted"},
    {Do::NodeLost, "node-lost"},
    {Do::RevokeAccess, "revoke-access"},
    {Do::BucketAway, "bucket-away"},
    {Do::UserEdit, "user-edit"},
    {Do::Recreate, "recreate"},
    {Do::CutStream, "cut-stream"},
};

std::string seconds(MonoTime time) {
  return fmt::format("{}.{:06}s", time.count() / 1000000, std::abs(time.count() % 1000000));
}

Error bad(std::string_view member, std::string_view value) {
  return {Fault::Invalid, fmt::format("fault: {} cannot be \"{}\"", member, value)};
}

Result<MonoTime> time_of(const model::Value& value, std::string_view member) {
  const std::string_view text = model::string_at(value, {member});
  if (text.empty()) return MonoTime{};
  const bool negative = text.starts_with('-');
  const auto parsed = model::parse_duration(negative ? text.substr(1) : text);
  if (!parsed) return bad(member, text);
  const auto time = std::chrono::duration_cast<MonoTime>(*parsed);
  return negative ? -time : time;
}

Result<void> read_at(const model::Value& value, Mishap& fault) {
  const std::string_view text = model::string_at(value, {"at"});
  for (const auto& [word, at] :
       {std::pair{"write ", Mishap::At::Write}, std::pair{"call ", Mishap::At::Call},
        std::pair{"stream ", Mishap::At::Stream}}) {
    if (!text.starts_with(word)) continue;
    fault.at = at;
    const std::string_view number = text.substr(std::string_view(word).size());
    const auto [end, failed] =
        std::from_chars(number.data(), number.data() + number.size(), fault.number);
    if (failed != std::errc{} || end != number.data() + number.size() || fault.number == 0)
      return bad("at", text);
    return ok();
  }
  fault.at = Mishap::At::Time;
  if (text.empty()) return bad("at", text);
  fault.time = HF_TRY(time_of(value, "at"));
  return ok();
}

}  // namespace

std::string_view to_string(Do what) {
  for (const Name& name : kNames)
    if (name.what == what) return name.text;
  return "?";
}

std::string to_text(const Mishap& fault) {
  std::string at = fault.at == Mishap::At::Write    ? fmt::format("write {}", fault.number)
                   : fault.at == Mishap::At::Call   ? fmt::format("call {}", fault.number)
                   : fault.at == Mishap::At::Stream ? fmt::format("stream {}", fault.number)
                                                    : seconds(fault.time);
  std::string text = fmt::format("{{at: {}, do: {}", at, to_string(fault.what));
  if (!fault.of.empty()) text += fmt::format(", of: {}", fault.of);
  if (fault.code != 0) text += fmt::format(", code: {}", fault.code);
  if (fault.pick != 0) text += fmt::format(", pick: {}", fault.pick);
  if (fault.lasts.count() != 0) text += fmt::format(", for: {}", seconds(fault.lasts));
  if (fault.by.count() != 0)
    text += fmt::format(", by: {}{}", fault.by.count() < 0 ? "-" : "",
                        seconds(MonoTime(std::abs(fault.by.count()))));
  return text + "}";
}

std::string to_text(const std::vector<Mishap>& faults) {
  std::string text;
  for (const Mishap& fault : faults) text += "- " + to_text(fault) + "\n";
  return text.empty() ? "[]\n" : text;
}

Result<Mishap> fault_from(const model::Value& value) {
  Mishap fault;
  const std::string_view what = model::string_at(value, {"do"});
  const auto* name = std::find_if(std::begin(kNames), std::end(kNames),
                                  [&](const Name& each) { return each.text == what; });
  if (name == std::end(kNames)) return bad("do", what);
  fault.what = name->what;
  HF_TRY(read_at(value, fault));
  fault.of = model::string_at(value, {"of"});
  fault.code = int(model::int_at(value, {"code"}, 0));
  fault.pick = uint64_t(model::int_at(value, {"pick"}, 0));
  fault.lasts = HF_TRY(time_of(value, "for"));
  fault.by = HF_TRY(time_of(value, "by"));
  if (fault.what == Do::Answer && (fault.code < 400 || fault.code > 599))
    return bad("code", std::to_string(fault.code));
  return fault;
}

Result<std::vector<Mishap>> faults_from_yaml(std::string_view text) {
  const model::Parsed parsed = HF_TRY(model::parse_yaml(text));
  if (!parsed.value.is_array()) return Error(Fault::Invalid, "faults: not a list");
  std::vector<Mishap> faults;
  for (const model::Value& each : parsed.value.get_array())
    faults.push_back(HF_TRY(fault_from(each)));
  return faults;
}

namespace {

constexpr int kCodes[] = {409, 429, 500, 503};

// When it strikes: what concerns one request by its number, everything else by time.
void draw_moment(Mishap& fault, const Extent& extent, Random& random) {
  const auto drawn = [&](uint64_t most) { return 1 + random.below(std::max<uint64_t>(1, most)); };
  switch (fault.what) {
    case Do::CrashBeforeWrite:
    case Do::CrashBeforeReply:
    case Do::CrashAfterReply:
      fault.at = Mishap::At::Write;
      fault.number = drawn(extent.writes);
      return;
    case Do::LoseReply:
    case Do::LoseRequest:
    case Do::Answer:
      fault.at = Mishap::At::Call;
      fault.number = drawn(extent.calls);
      return;
    case Do::CutStream:
      fault.at = Mishap::At::Stream;
      fault.number = drawn(extent.streams);
      return;
    default:
      fault.at = Mishap::At::Time;
      // Whole milliseconds read better in a fault file.
      fault.time = MonoTime(int64_t(drawn(uint64_t(extent.lasted.count()) / 1000)) * 1000);
  }
}

void draw_details(Mishap& fault, const Range& range, Random& random) {
  const auto millis = [&](uint64_t most) {
    return MonoTime(int64_t(1 + random.below(most)) * 1000);
  };
  const auto one_of = [&](const std::vector<std::string>& all) {
    return all.empty() ? std::string() : all[random.below(all.size())];
  };
  switch (fault.what) {
    case Do::Answer:
      fault.code = kCodes[random.below(std::size(kCodes))];
      return;
    case Do::WatchDrop:
    case Do::Relist:
      fault.of = one_of(range.resources);
      return;
    case Do::WatchDelay:
    case Do::WatchDuplicate:
    case Do::WatchCoalesce:
      fault.of = one_of(range.resources);
      fault.lasts = millis(20000);
      return;
    case Do::StaleList:
      fault.of = one_of(range.resources);
      fault.pick = 1 + random.below(30);
      fault.lasts = millis(20000);
      return;
    case Do::Pause:
      fault.pick = random.below(range.operators);
      fault.lasts = millis(60000);
      fault.by = millis(3000);
      return;
    case Do::ClockJump:
      fault.by = millis(7200000);
      if (random.below(2) == 0) fault.by = -fault.by;
      return;
    case Do::PodLost:
    case Do::PodDeleted:
      fault.pick = random.below(1000);
      return;
    case Do::CutStream:
      fault.pick = random.below(3);
      return;
    case Do::NodeLost:
      fault.pick = random.below(3);
      fault.lasts = millis(60000);
      return;
    case Do::RevokeAccess:
    case Do::BucketAway:
      fault.lasts = millis(fault.what == Do::BucketAway ? 120000 : 30000);
      return;
    case Do::UserEdit:
      fault.pick = random.below(std::max<size_t>(1, range.edits));
      return;
    case Do::Recreate:
      fault.of = one_of(range.recreatable);
      return;
    default:
      return;
  }
}

}  // namespace

std::vector<Mishap> draw_faults(const Range& range, const Extent& extent, Random& random) {
  std::vector<Do> chosen;
  for (const Do kind : range.kinds)
    if (random.below(2) == 0) chosen.push_back(kind);
  if (chosen.empty() && !range.kinds.empty())
    chosen.push_back(range.kinds[random.below(range.kinds.size())]);
  std::vector<Mishap> faults;
  if (chosen.empty()) return faults;
  const uint64_t count = 1 + random.below(12);
  for (uint64_t i = 0; i < count; ++i) {
    Mishap fault;
    fault.what = chosen[random.below(chosen.size())];
    draw_moment(fault, extent, random);
    draw_details(fault, range, random);
    faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace holdfast::sim
