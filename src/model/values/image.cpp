#include <holdfast/base/text.h>
#include <holdfast/model/image.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model {
namespace {

/// What a name without a registry means everywhere in the field.
constexpr std::string_view kDefaultRegistry = "docker.io";

/// A first part with a dot or a colon, or localhost, is a registry.
bool is_registry(std::string_view part) {
  return part == "localhost" || part.find_first_of(".:") != std::string_view::npos;
}

bool is_lower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_word(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z') || c == '_'; }

/// Letters and digits, with single separators between them: ".", "_", "__", any number of "-".
bool is_path_part(std::string_view part) {
  if (part.empty() || !is_lower(part.front()) || !is_lower(part.back())) return false;
  for (size_t i = 1; i < part.size(); ++i) {
    if (is_lower(part[i]) || part[i] == '-') continue;
    if (part[i] != '.' && part[i] != '_') return false;
    const bool doubled = part[i] == '_' && part[i + 1] == '_' && is_lower(part[i - 1]);
    if (!doubled && !is_lower(part[i + 1])) return false;
  }
  return true;
}

}  // namespace

ImageName image_name(std::string_view text) {
  ImageName name;
  if (const size_t at = text.find('@'); at != std::string_view::npos) {
    name.tag = text.substr(at + 1);
    name.digest = true;
    text = text.substr(0, at);
  }
  const size_t slash = text.find('/');
  if (slash != std::string_view::npos && is_registry(text.substr(0, slash))) {
    name.registry = text.substr(0, slash);
    text.remove_prefix(slash + 1);
  } else {
    name.registry = kDefaultRegistry;
  }
  const size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && text.find('/', colon) == std::string_view::npos) {
    if (!name.digest) name.tag = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  name.path = text;
  if (name.registry == kDefaultRegistry && name.path.find('/') == std::string::npos)
    name.path = "library/" + name.path;
  if (name.tag.empty()) name.tag = "latest";
  return name;
}

bool is_image_name(const ImageName& name) {
  const auto in_host = [](char c) { return is_word(c) || c == '.' || c == '-' || c == ':'; };
  const auto in_tag = [](char c) { return is_word(c) || c == '.' || c == '-' || c == ':'; };
  const std::vector<std::string_view> parts = split(name.path, '/');
  return std::all_of(name.registry.begin(), name.registry.end(), in_host) &&
         name.registry.find("..") == std::string::npos &&
         std::all_of(parts.begin(), parts.end(), is_path_part) &&
         std::all_of(name.tag.begin(), name.tag.end(), in_tag) && is_word(name.tag.front()) &&
         name.tag.size() <= 128;
}

std::string folder_of(const ImageName& name) {
  return fmt::format("{}/{}/{}", name.registry, name.path, name.tag);
}

std::string canonical_image(std::string_view text) {
  const ImageName name = image_name(text);
  return fmt::format("{}/{}{}{}", name.registry, name.path, name.digest ? "@" : ":", name.tag);
}

bool is_host_image(std::string_view text) {
  return canonical_image(text) == canonical_image("host");
}

bool is_own_image(std::string_view text) {
  return canonical_image(text) == canonical_image(kOwnImage);
}

}  // namespace holdfast::model
