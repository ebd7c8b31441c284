/// Image of our own pods: this program, what it loads, and nothing else of the machine. Nothing is
/// copied: the machine's files are mounted into a root that has little but folders.
///
///   ROOT/
///     etc/{passwd,group,nsswitch.conf}          root, and how names of hosts are found
///     tmp, var/tmp                              1777
///     dev, proc, sys, root, run, usr/bin, lib…  empty
///   mounted, read-only: usr/bin/holdfast; each library at the path where the loader found it;
///   where the machine has them also etc/{ld.so.cache,localtime,resolv.conf} and the certificates
///   that servers are known by
#pragma once

#include <holdfast/base/result.h>

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
  /// What stands there as it shall be stays as it is: pods may run on it.
  Result<void> make_root() const;
  const std::filesystem::path& root() const { return root_; }
  /// As the machine has them now: packages move what links lead to while the node runs.
  std::vector<MountSpec> files() const;

 private:
  std::filesystem::path root_, program_;
  std::vector<std::string> libraries_;
};

}  // namespace holdfast::node
