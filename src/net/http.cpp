#include <holdfast/net/http.h>

#include <algorithm>
#include <cstdint>

namespace holdfast::net {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c + ('a' - 'A')) : c; }

bool equal_names(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// "http://host/path" is what a proxy's client sends; the origin server looks at the path only.
std::string_view without_origin(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const size_t end = target.find_first_of("/?", scheme.size());
    return end == std::string_view::npos ? std::string_view("/") : target.substr(end);
  }
  return target;
}

}  // namespace

std::string_view Headers::get(std::string_view name) const {
  for (const auto& [key, value] : fields_)
    if (equal_names(key, name)) return value;
  return {};
}

std::vector<std::string_view> Headers::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : fields_)
    if (equal_names(key, name)) values.emplace_back(value);
  return values;
}

bool Headers::has(std::string_view name) const {
  return std::ranges::any_of(fields_,
                             [&](const auto& field) { return equal_names(field.first, name); });
}

void Headers::add(std::string_view name, std::string_view value) {
  fields_.emplace_back(name, value);
}

void Headers::set(std::string_view name, std::string_view value) {
  remove(name);
  add(name, value);
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [&](const auto& field) { return equal_names(field.first, name); });
}

std::string percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size(); ++at) {
    const int high = text[at] == '%' && at + 2 < text.size() ? hex_value(text[at + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[at + 2]) : -1;
    if (low >= 0) {
      out += char(high << 4 | low);
      at += 2;
    } else {
      out += text[at] == '+' && plus_is_space ? ' ' : text[at];
    }
  }
  return out;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._~";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const bool alphanumeric = (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
    if (alphanumeric || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += kDigits[uint8_t(c) >> 4];
      out += kDigits[uint8_t(c) & 15];
    }
  }
  return out;
}

void split_target(Request& request) {
  std::string_view target = without_origin(request.target);
  const size_t mark = target.find('?');
  request.path = percent_decode(target.substr(0, mark), false);
  request.query.clear();
  if (request.path.empty()) request.path = "/";
  if (mark == std::string_view::npos) return;

  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    request.query.emplace_back(
        percent_decode(pair.substr(0, equals), true),
        percent_decode(pair.substr(std::min(equals + 1, pair.size())), true));
  }
}

std::string_view query_value(const Query& query, std::string_view key) {
  for (const auto& [name, value] : query)
    if (name == key) return value;
  return {};
}

}  // namespace holdfast::net
