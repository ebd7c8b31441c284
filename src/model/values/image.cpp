#include <holdfast/model/image.h>

#include <fmt/format.h>

namespace holdfast::model {
namespace {

/// What a name without a registry means everywhere in the field.
constexpr std::string_view kDefaultRegistry = "docker.io";

/// A first part with a dot or a colon, or localhost, is a registry.
bool is_registry(std::string_view part) {
  return part == "localhost" || part.find_first_of(".:") != std::string_view::npos;
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
