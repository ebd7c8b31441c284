#include <holdfast/repo/patterns.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <span>

namespace holdfast::repo {
namespace {

using Wanted = std::span<const std::string>;
using Parts = std::span<const std::string_view>;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = char(std::tolower(uint8_t(c)));
  return out;
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= path.size();) {
    const size_t slash = std::min(path.find('/', at), path.size());
    if (slash > at) parts.push_back(path.substr(at, slash - at));
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

/// All of the pattern at the beginning of the parts, or anywhere in them; what is left of them lies
/// below. Of a ** only the last one is tried again: what an earlier one skipped need not grow.
bool matches_parts(Wanted pattern, Parts parts, bool anywhere) {
  constexpr size_t kNone = SIZE_MAX;
  size_t at = 0, next = 0, after_stars = anywhere ? 0 : kNone, tried = 0;
  for (;;) {
    if (at == pattern.size()) return true;
    if (pattern[at] == "**") {
      after_stars = ++at;
      tried = next;
    } else if (next < parts.size() && component_matches(pattern[at], parts[next])) {
      ++at;
      ++next;
    } else if (after_stars == kNone || tried >= parts.size()) {
      return false;
    } else {
      at = after_stars;
      next = ++tried;
    }
  }
}

/// The parts are what a longer path that matches may begin with.
bool may_match_below(Wanted pattern, Parts parts) {
  const size_t both = std::min(pattern.size(), parts.size());
  for (size_t i = 0; i < both; ++i) {
    if (pattern[i] == "**") return true;
    if (!component_matches(pattern[i], parts[i])) return false;
  }
  return true;
}

}  // namespace

namespace {

/// What one element of the pattern, no *, says of a character: where the element ends, nothing if
/// it is another character.
std::optional<size_t> element_matches(std::string_view pattern, char c) {
  if (pattern[0] == '[') {
    const auto found = in_class(pattern, c);
    return found && found->second ? std::optional(found->first) : std::nullopt;
  }
  const bool escaped = pattern[0] == '\\' && pattern.size() > 1;
  const char wanted = escaped ? pattern[1] : pattern[0];
  if (wanted != c && (escaped || wanted != '?')) return {};
  return escaped ? 2 : 1;
}

}  // namespace

/// Names may be as long as whoever wrote the repository liked: each * is gone back to only until
/// the next one is reached.
bool component_matches(std::string_view pattern, std::string_view name) {
  constexpr size_t kNone = std::string_view::npos;
  size_t at = 0, next = 0, after_star = kNone, tried = 0;
  for (;;) {
    if (at == pattern.size() && next == name.size()) return true;
    if (at < pattern.size() && pattern[at] == '*') {
      after_star = ++at;
      tried = next;
      continue;
    }
    const std::optional<size_t> element = at < pattern.size() && next < name.size()
                                              ? element_matches(pattern.substr(at), name[next])
                                              : std::nullopt;
    if (element) {
      at += *element;
      ++next;
    } else if (after_star == kNone || tried >= name.size()) {
      return false;
    } else {
      at = after_star;
      next = ++tried;
    }
  }
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
    const std::string folded = ignore_case ? lower(rest) : std::string(rest);
    for (const std::string_view part : parts_of(folded)) pattern.parts.emplace_back(part);
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
  const std::string folded = ignore_case_ ? lower(path) : "";
  const std::vector<std::string_view> parts = parts_of(ignore_case_ ? folded : path);
  bool chosen = false;
  for (const Pattern& pattern : patterns_) {
    if (pattern.negated != chosen) continue;
    if (matches_parts(pattern.parts, parts, !pattern.rooted)) chosen = !pattern.negated;
  }
  return chosen;
}

bool Patterns::match_below(std::string_view folder) const {
  const auto anywhere = [](const Pattern& each) { return !each.negated && !each.rooted; };
  if (std::any_of(patterns_.begin(), patterns_.end(), anywhere)) return true;
  const std::string folded = ignore_case_ ? lower(folder) : "";
  const std::vector<std::string_view> parts = parts_of(ignore_case_ ? folded : folder);
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
    return !pattern.negated && may_match_below(pattern.parts, parts);
  });
}

}  // namespace holdfast::repo
