#include "pods/images.h"

#include <holdfast/base/walls.h>
#include <holdfast/model/image.h>

#include <fmt/format.h>

namespace holdfast::node {
Result<std::string, ImageError> Images::root_of(const std::string& image,
                                                const std::string& pull_policy) const {
  if (model::is_host_image(image)) return std::string("/");
  if (model::is_own_image(image))
    return wall_stands("pods of ours hold nothing of the machine") ? own_.root().string() : "/";
  const model::ImageName name = model::image_name(image);
  if (!model::is_image_name(name))
    return ImageError{"InvalidImageName",
                      fmt::format("Failed to apply default image tag \"{}\": couldn't parse image "
                                  "name \"{}\": invalid reference format",
                                  image, image)};
  const std::filesystem::path root = folder_ / model::folder_of(name);
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
