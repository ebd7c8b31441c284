#include "repo/change/owner_map.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <charconv>

namespace holdfast::cli {
namespace {

/// The last number means "leave it" to the system.
constexpr uint32_t kMostId = 0xfffffffe;

bool read_id(std::string_view text, uint32_t& into) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), into);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() && into <= kMostId;
}

}  // namespace

Result<OwnerMap::Rule> OwnerMap::parse_rule(std::string_view text) {
  Rule rule;
  const size_t colon = text.find(':');
  const std::string_view from = text.substr(0, colon);
  const size_t dash = from.find('-');
  bool good = colon != std::string_view::npos && read_id(text.substr(colon + 1), rule.to);
  if (from == "*")
    rule.last = kMostId;
  else
    good = good && read_id(from.substr(0, dash), rule.first) &&
           read_id(dash == std::string_view::npos ? from : from.substr(dash + 1), rule.last) &&
           rule.first <= rule.last;
  if (good) return rule;
  return Error(Fault::Invalid, fmt::format("\"{}\" maps no owner to another", text))
      .with_hint("1000:2000, 1000-1999:2000 or *:2000, with numbers of users or groups");
}

Result<OwnerMap> OwnerMap::parse(std::string_view text) {
  OwnerMap map;
  if (text.empty()) return map;
  for (const std::string_view part : split(text, ','))
    map.rules_.push_back(HF_TRY(parse_rule(part)));
  return map;
}

uint32_t OwnerMap::operator()(uint32_t id) const {
  for (const Rule& rule : rules_)
    if (id >= rule.first && id <= rule.last) return rule.to;
  return id;
}

}  // namespace holdfast::cli
