/// A disk image on its way back: one file, or a device, of which the segments are pieces.
#pragma once

#include <holdfast/repo/image.h>

#include "files/output.h"

#include <atomic>
#include <optional>
#include <string>

namespace holdfast::repo {

struct RestoredImage {
  std::string path{};
  Node node{};
  std::string left_out{};  ///< what it lacks of the node, in words
  uint64_t segments = 0;
  bool may_exist = false;              ///< what is there must be written over, also with zeros
  bool device = false;                 ///< stays what it is: nothing but its bytes is ours
  std::optional<OutputFile> output{};  ///< none if nothing is to be written
  std::atomic<uint64_t> pending{1};    ///< segments, and one for the walk
  std::atomic<uint64_t> verified{0};
  std::atomic<bool> failed{false};
};

}  // namespace holdfast::repo
