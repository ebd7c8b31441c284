#include <holdfast/repo/patterns.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

namespace holdfast::repo {
namespace {

using Parts = std::span<const std::string>;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = char(std::tolower(uint8_t(c)));
  return out;
}

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= path.size();) {
    const size_t slash = std::min(path.find('/', at), path.size());
    if (slash > at) parts.emplace_back(path.substr(at, slash - at));
    at = slash + 1;
  }
  return parts;
}

/// One [class]; where it ends, and whether the character is in it. Nothing if it is no class.
std::optional<std::pair<size_t, bool>> in_class(std::string_view pattern, char c) {
  size_t at = 1;
  const bool negated = at < pattern.size() && pattern[at] == '^';
  if (negated) ++at;
  bool found = false;
  for (size_t ranges = 0;; ++ranges) {
    if (at < pattern.size() && pattern[at] == ']' && ranges > 0)
      return {{at + 1, found != negated}};
    const auto next = [&]() -> std::optional<char> {
      if (at < pattern.size() && pattern[at] == '\\') ++at;
      if (at >= pattern.size()) return {};
      return pattern[at++];
    };
    const std::optional<char> low = next();
    if (!low) return {};
    std::optional<char> high = low;
    if (at < pattern.size() && pattern[at] == '-') {
      ++at;
      high = next();
      if (!high) return {};
    }
    if (uint8_t(*low) <= uint8_t(c) && uint8_t(c) <= uint8_t(*high)) found = true;
  }
}

bool well_formed(std::string_view pattern) {
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\' && ++at >= pattern.size()) return false;
    if (pattern[at] != '[' || (at > 0 && pattern[at - 1] == '\\')) continue;
    const auto end = in_class(pattern.substr(at), 'x');
    if (!end) return false;
    at += end->first - 1;
  }
  return true;
}

/// All of the pattern at the beginning of the parts; what is left of them lies below.
bool matches_here(Parts pattern, Parts parts) {
  if (pattern.empty()) return true;
  if (pattern[0] == "**") {
    for (size_t skip = 0; skip <= parts.size(); ++skip)
      if (matches_here(pattern.subspan(1), parts.subspan(skip))) return true;
    return false;
  }
  return !parts.empty() && component_matches(pattern[0], parts[0]) &&
         matches_here(pattern.subspan(1), parts.subspan(1));
}

/// The parts are what a longer path that matches may begin with.
bool may_match_below(Parts pattern, Parts parts) {
  if (parts.empty() || pattern.empty()) return true;
  if (pattern[0] == "**") return true;
  return component_matches(pattern[0], parts[0]) &&
         may_match_below(pattern.subspan(1), parts.subspan(1));
}

}  // namespace

bool component_matches(std::string_view pattern, std::string_view name) {
  while (!pattern.empty()) {
    const char first = pattern[0];
    if (first == '*') {
      const std::string_view rest = pattern.substr(1);
      for (size_t skip = 0; skip <= name.size(); ++skip)
        if (component_matches(rest, name.substr(skip))) return true;
      return false;
    }
    if (name.empty()) return false;
    if (first == '[') {
      const auto found = in_class(pattern, name[0]);
      if (!found || !found->second) return false;
      pattern.remove_prefix(found->first);
    } else {
      if (first == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
      if (first != '?' && pattern[0] != name[0]) return false;
      pattern.remove_prefix(1);
    }
    name.remove_prefix(1);
  }
  return name.empty();
}

Result<Patterns> Patterns::parse(const std::vector<std::string>& texts, bool ignore_case) {
  Patterns out;
  out.ignore_case_ = ignore_case;
  for (const std::string& text : texts) {
    std::string_view rest = text;
    Pattern pattern;
    if (rest.starts_with('!')) {
      pattern.negated = true;
      rest.remove_prefix(1);
    }
    pattern.rooted = rest.starts_with('/');
    pattern.parts = split(ignore_case ? lower(rest) : std::string(rest));
    const bool good =
        !rest.empty() && std::all_of(pattern.parts.begin(), pattern.parts.end(),
                                     [](const std::string& part) { return well_formed(part); });
    if (!good)
      return Error(Fault::Invalid, fmt::format("\"{}\" is no pattern of paths", text))
          .with_hint(
              "a [ begins a class of characters and needs its ]; put \\ before it to mean it");
    out.patterns_.push_back(std::move(pattern));
  }
  return out;
}

bool Patterns::match(std::string_view path) const {
  if (patterns_.empty()) return false;
  const std::vector<std::string> parts = split(ignore_case_ ? lower(path) : std::string(path));
  bool chosen = false;
  for (const Pattern& pattern : patterns_) {
    if (pattern.negated != chosen) continue;
    bool here = false;
    const size_t last = pattern.rooted ? 0 : parts.size();
    for (size_t skip = 0; skip <= last && !here; ++skip)
      here = matches_here(pattern.parts, Parts(parts).subspan(skip)) &&
             !(pattern.parts.empty() && skip > 0);
    if (here) chosen = !pattern.negated;
  }
  return chosen;
}

bool Patterns::match_below(std::string_view folder) const {
  const std::vector<std::string> parts = split(ignore_case_ ? lower(folder) : std::string(folder));
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
    return !pattern.negated && (!pattern.rooted || may_match_below(pattern.parts, parts));
  });
}

}  // namespace holdfast::repo
