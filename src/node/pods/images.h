/// Images as folders: DIR/<registry>/<path>/<tag>/ is the root of one. `host` is the machine's own
/// root.
#pragma once

#include <holdfast/base/result.h>

#include <filesystem>
#include <string>

namespace holdfast::node {

struct ImageError {
  std::string reason;  ///< ErrImagePull, ErrImageNeverPull, InvalidImageName
  std::string message;
};

class Images {
 public:
  explicit Images(std::filesystem::path folder) : folder_(std::move(folder)) {}
  /// The image's root, or why there is none and what to do.
  Result<std::string, ImageError> root_of(const std::string& image,
                                          const std::string& pull_policy) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

}  // namespace holdfast::node
