/// Start of a child program, shared by all that run one.
#pragma once

#include <holdfast/base/descriptor.h>

#include <string>
#include <utility>
#include <vector>

namespace holdfast {

struct Spawned {
  int cause = 0;  ///< errno; 0: it runs
  int pid = -1;
  Descriptor output{};  ///< the reading end of its standard output
};

struct SpawnWith {
  std::vector<std::pair<std::string, std::string>> env{};  ///< over our own environment
  /// It reads nothing and leads a process group of its own, so that all that it starts can be
  /// ended with it.
  bool apart = false;
};

/// Found on PATH by its first word. Signals that we block, and SIGPIPE that we ignore, reach it.
Spawned spawn(std::vector<std::string> words, const SpawnWith& with = {});

}  // namespace holdfast
