#include "mover/empty_volume.h"

#include <holdfast/base/files.h>

#include <fmt/format.h>

#include <filesystem>

namespace holdfast::protect {

Result<void> expect_empty_volume(const std::string& folder) {
  for (const char* pattern : {"/*", "/.[!.]*", "/..?*"})
    for (const std::string& path : matching_paths(folder + pattern)) {
      const std::string name = std::filesystem::path(path).filename();
      // Every new ext4 has it.
      if (name == "lost+found") continue;
      return Error(Fault::Invalid, fmt::format("the volume holds {} already", name))
          .with_hint("restore into a new claim");
    }
  return {};
}

}  // namespace holdfast::protect
