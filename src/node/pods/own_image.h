/// Image of our own pods: this program, what it loads, and nothing else of the machine. Nothing is
/// copied: the machine's files are mounted, read-only, into a bare root.
///
///   usr/bin/holdfast   this program
///   lib/…, lib64/…     each library at the path where the loader found it
///   etc/…              where the machine has them: ld.so.cache, localtime, resolv.conf, and the
///                      certificates that servers are known by
#pragma once

#include <holdfast/base/result.h>

#include "images/bare_root.h"
#include "shim/records.h"

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::node {

/// Paths of what this process has loaded, the loader among them.
std::vector<std::string> loaded_libraries();

class OwnImage {
 public:
  OwnImage() = default;
  OwnImage(std::filesystem::path root, std::filesystem::path program,
           std::vector<std::string> libraries)
      : root_(std::move(root)), program_(std::move(program)), libraries_(std::move(libraries)) {}
  Result<void> make_root() const { return make_bare_root(root_); }
  const std::filesystem::path& root() const { return root_; }
  /// As the machine has them now: packages move what links lead to while the node runs.
  std::vector<MountSpec> files() const;

 private:
  std::filesystem::path root_, program_;
  std::vector<std::string> libraries_;
};

}  // namespace holdfast::node
