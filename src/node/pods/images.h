/// Images as folders: DIR/<registry>/<path>/<tag>/ is the root of one. `host` is the machine's own
/// root, `localhost/holdfast` our program alone (own_image.h), whatever folders there are.
#pragma once

#include <holdfast/base/result.h>

#include "pods/own_image.h"

#include <filesystem>
#include <string>

namespace holdfast::node {

struct ImageError {
  std::string reason;  ///< ErrImagePull, ErrImageNeverPull, InvalidImageName
  std::string message;
};

class Images {
 public:
  Images(std::filesystem::path folder, OwnImage own)
      : folder_(std::move(folder)), own_(std::move(own)) {}
  /// The image's root, or why there is none and what to do.
  Result<std::string, ImageError> root_of(const std::string& image,
                                          const std::string& pull_policy) const;
  /// Of the machine's files those that are mounted into the root.
  std::vector<MountSpec> files_of(const std::string& image) const;

 private:
  std::filesystem::path folder_;
  OwnImage own_;
};

}  // namespace holdfast::node
