// Schedules by the grammar of model/cron.h; the sentences are those of the parser that the real
// server uses.

#include "kinds/batch/schedule.h"

#include <holdfast/base/text.h>
#include <holdfast/model/cron.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::batch {

namespace {

/// Go's words around what strconv.Atoi says.
std::string not_a_number(std::string_view word, std::string_view why) {
  return fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: {}", word,
                     quoted(word), why);
}

std::string range_sentence(const model::CronFault& fault) {
  using Kind = model::CronFault::Kind;
  const model::CronBounds& bounds = model::kCronBounds[fault.field];
  switch (fault.kind) {
    case Kind::BelowLeast:
      return fmt::format("beginning of range ({}) below minimum ({}): {}", fault.first,
                         bounds.least, fault.entry);
    case Kind::AboveMost:
      return fmt::format("end of range ({}) above maximum ({}): {}", fault.last, bounds.most,
                         fault.entry);
    case Kind::Backwards:
      return fmt::format("beginning of range ({}) beyond end of range ({}): {}", fault.first,
                         fault.last, fault.entry);
    case Kind::Hyphens:
      return fmt::format("too many hyphens: {}", fault.entry);
    case Kind::Slashes:
      return fmt::format("too many slashes: {}", fault.entry);
    default:
      return fmt::format("step of range should be a positive number: {}", fault.entry);
  }
}

std::string sentence(const model::CronFault& fault, std::string_view schedule) {
  using Kind = model::CronFault::Kind;
  switch (fault.kind) {
    case Kind::FieldCount:
      return fmt::format("expected exactly {} fields, found {}: [{}]", model::kCronBounds.size(),
                         fault.words.size(), fmt::join(fault.words, " "));
    case Kind::Descriptor:
      return fmt::format("unrecognized descriptor: {}", schedule);
    case Kind::Duration:
      return fmt::format("failed to parse duration {}: time: invalid duration {}", schedule,
                         quoted(fault.word));
    case Kind::Number:
      return not_a_number(fault.word, "invalid syntax");
    case Kind::TooLarge:
      return not_a_number(fault.word, "value out of range");
    case Kind::Negative:
      return fmt::format("negative number ({}) not allowed: {}", fault.number, fault.word);
    default:
      return range_sentence(fault);
  }
}

}  // namespace

std::string schedule_fault(std::string_view schedule) {
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const size_t equals = schedule.find('=');
    const size_t space = std::min(schedule.find(' '), schedule.size());
    const std::string_view zone = schedule.substr(equals + 1, space - equals - 1);
    if (!zone.empty() && zone != "Local" && !is_time_zone(zone))
      return fmt::format("provided bad location {}: unknown time zone {}", zone, zone);
    schedule = trim(schedule.substr(space));
  }
  const auto parsed = model::parse_cron(schedule);
  const auto* const fault = std::get_if<model::CronFault>(&parsed);
  return fault == nullptr ? "" : sentence(*fault, schedule);
}

}  // namespace holdfast::apiserver::batch
