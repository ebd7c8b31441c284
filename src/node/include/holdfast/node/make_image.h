/// Images for the embedded node, made from what a machine has: DIR/<registry>/<path>/<tag>/ is the
/// root of one.
#pragma once

#include <holdfast/base/result.h>

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace holdfast::node {

/// Of `from`, `programs` and `suite` one is given.
struct ImageOrder {
  std::string name;
  std::filesystem::path images;                   ///< the node's --images
  std::filesystem::path from{};                   ///< a root, copied as it is
  std::vector<std::filesystem::path> programs{};  ///< copied with what they load
  std::string suite{};                            ///< of Debian, by debootstrap
  bool replace = false;                           ///< one of that name that is there
};

/// Where the image's root is now: all of it or, after an error, nothing. The umask of the process
/// is another meanwhile.
Result<std::filesystem::path> make_image(const ImageOrder& order, const std::stop_token& stop);

}  // namespace holdfast::node
