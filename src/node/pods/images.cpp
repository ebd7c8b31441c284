#include "pods/images.h"

#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>
#include <holdfast/model/image.h>

#include <fmt/format.h>

namespace holdfast::node {
namespace {

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

/// What the field takes for a name; it also keeps the way to the folder below DIR.
bool is_name(const model::ImageName& name) {
  const auto in_host = [](char c) { return is_word(c) || c == '.' || c == '-' || c == ':'; };
  const auto in_tag = [](char c) { return is_word(c) || c == '.' || c == '-' || c == ':'; };
  const std::vector<std::string_view> parts = split(name.path, '/');
  return std::all_of(name.registry.begin(), name.registry.end(), in_host) &&
         name.registry.find("..") == std::string::npos &&
         std::all_of(parts.begin(), parts.end(), is_path_part) &&
         std::all_of(name.tag.begin(), name.tag.end(), in_tag) && is_word(name.tag.front()) &&
         name.tag.size() <= 128;
}

}  // namespace

Result<std::string, ImageError> Images::root_of(const std::string& image,
                                                const std::string& pull_policy) const {
  if (model::is_host_image(image)) return std::string("/");
  if (model::is_own_image(image))
    return wall_stands("pods of ours hold nothing of the machine") ? own_.root().string() : "/";
  const model::ImageName name = model::image_name(image);
  if (!is_name(name))
    return ImageError{"InvalidImageName",
                      fmt::format("Failed to apply default image tag \"{}\": couldn't parse image "
                                  "name \"{}\": invalid reference format",
                                  image, image)};
  const std::filesystem::path root = folder_ / name.registry / name.path / name.tag;
  std::error_code ignored;
  if (std::filesystem::is_directory(root, ignored)) return root.string();
  const std::string way_out = fmt::format(
      "this node takes images from folders: unpack the image's root at {}, or use the image "
      "\"host\"",
      root.string());
  if (pull_policy == "Never")
    return ImageError{
        "ErrImageNeverPull",
        fmt::format("Container image \"{}\" is not present with pull policy of Never: {}", image,
                    way_out)};
  return ImageError{"ErrImagePull", fmt::format("image \"{}\" is not on this node: {}",
                                                model::canonical_image(image), way_out)};
}

std::vector<MountSpec> Images::files_of(const std::string& image) const {
  return model::is_own_image(image) ? own_.files() : std::vector<MountSpec>();
}

}  // namespace holdfast::node
