/// A disk image on its way into the repository. Its segments are read in their order, several at
/// once, each as a file in a folder of its own.
#pragma once

#include <holdfast/repo/image.h>

#include "backup/folder.h"
#include "files/input.h"

#include <atomic>

namespace holdfast::repo {

struct Image {
  Image(InputFile opened, Node found, const ImageLayout& how)
      : input(std::move(opened)), source(std::move(found)), layout(how) {}

  InputFile input;
  const Node source;  ///< as the file system has it
  const ImageLayout layout;
  Folder* folder = nullptr;
  std::atomic<uint64_t> next{0};  ///< the segment that nobody has begun
  std::atomic<bool> failed{false};
};

}  // namespace holdfast::repo
