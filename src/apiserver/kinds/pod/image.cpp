// Reading a reference follows the registry's grammar:
//
//   reference  = name [":" tag] ["@" digest]
//   name       = [domain "/"] component *["/" component]     domain: has "." or ":" or an upper
//   case letter, or "localhost" component  = alnum *(("." | "_" | "__" | 1*"-") alnum)   lower case
//   tag        = word *127(word | "." | "-")
//   digest     = algorithm ":" 32*hex

#include "kinds/pod/image.h"

#include <holdfast/base/text.h>

#include <algorithm>
#include <cctype>

namespace holdfast::apiserver::pod {

namespace {

bool is_lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alnum(char c) { return is_lower_alnum(c) || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_component(std::string_view text) {
  if (text.empty() || !is_lower_alnum(text.front()) || !is_lower_alnum(text.back())) return false;
  for (size_t i = 0; i < text.size();) {
    if (is_lower_alnum(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && !is_lower_alnum(text[end])) ++end;
    const std::string_view separator = text.substr(i, end - i);
    const bool dashes = separator.find_first_not_of('-') == std::string_view::npos;
    if (!dashes && separator != "." && separator != "_" && separator != "__") return false;
    i = end;
  }
  return true;
}

bool is_domain(std::string_view text) {
  const size_t colon = text.rfind(':');
  std::string_view host = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || port.find_first_not_of("0123456789") != std::string_view::npos)
      return false;
  }
  for (std::string_view label : split(host, '.')) {
    if (label.empty() || !is_alnum(label.front()) || !is_alnum(label.back())) return false;
    for (char c : label)
      if (!is_alnum(c) && c != '-') return false;
  }
  return true;
}

bool is_tag(std::string_view text) {
  if (text.empty() || text.size() > 128 || !(is_alnum(text.front()) || text.front() == '_'))
    return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alnum(c) || c == '_' || c == '.' || c == '-'; });
}

bool is_digest(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0 || text.size() - colon - 1 < 32) return false;
  return std::all_of(text.begin() + long(colon) + 1, text.end(), is_hex);
}

/// The part before the first slash if it names a registry.
std::string_view domain_of(std::string_view name) {
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {};
  const std::string_view first = name.substr(0, slash);
  const bool registry = first.find_first_of(".:") != std::string_view::npos ||
                        first == "localhost" || to_lower(first) != first;
  return registry ? first : std::string_view();
}

}  // namespace

std::optional<std::string> image_tag(std::string_view image) {
  if (image.size() == 64 && std::all_of(image.begin(), image.end(), is_hex)) return std::nullopt;
  std::string_view digest;
  const size_t at = image.find('@');
  if (at != std::string_view::npos) {
    digest = image.substr(at + 1);
    image = image.substr(0, at);
    if (!is_digest(digest)) return std::nullopt;
  }
  const std::string_view domain = domain_of(image);
  if (!domain.empty() && !is_domain(domain)) return std::nullopt;
  std::string_view rest = domain.empty() ? image : image.substr(domain.size() + 1);
  std::string_view tag;
  const size_t colon = rest.find(':');
  if (colon != std::string_view::npos) {
    tag = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    if (!is_tag(tag)) return std::nullopt;
  }
  const auto components = split(rest, '/');
  if (!std::all_of(components.begin(), components.end(), is_component)) return std::nullopt;
  if (tag.empty() && digest.empty()) return "latest";
  return std::string(tag);
}

}  // namespace holdfast::apiserver::pod
