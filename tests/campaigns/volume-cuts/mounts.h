/// File systems in files, mounted for a test: they show what the provider of each can do.
#pragma once

#include <filesystem>
#include <string>

namespace holdfast::suite {

/// A new file system of that kind ("btrfs", "xfs"), or for "" a plain folder of wherever tests lie.
class Mounted {
 public:
  explicit Mounted(const std::string& kind);
  ~Mounted();
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;

  /// Why there is none: not root, or no mkfs. "" if there is.
  const std::string& missing() const { return missing_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path folder_, path_;
  std::string missing_{};
  bool mounted_ = false;
};

}  // namespace holdfast::suite
