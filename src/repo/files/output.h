/// Writing of restored files. Nothing here follows a link at the end of a path.
#pragma once

#include <holdfast/repo/tree.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::repo {

struct Ownership {
  bool owners = true, extended_attributes = true;
  std::function<std::pair<uint32_t, uint32_t>(uint32_t uid, uint32_t gid)> mapped{};
};

class OutputFile {
 public:
  /// What is there and is no plain file goes; a plain file stays as it is.
  static Result<OutputFile> open(const std::string& path);
  /// A block device that nobody else uses, or a file, whose bytes are to be written over.
  static Result<OutputFile> open_over(const std::string& path);
  OutputFile(OutputFile&& other) noexcept : fd_(other.fd_), path_(std::move(other.path_)) {
    other.fd_ = -1;
  }
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Result<void> write(std::string_view bytes, uint64_t offset);
  /// Everything written is on the disk.
  Result<void> sync();
  /// Cut off or extended with a hole.
  Result<void> set_size(uint64_t size);
  /// Owner, mode, extended attributes, times; everything that can be set is, the first failure is
  /// returned.
  Result<void> describe(const Node& node, const Ownership& ownership);

 private:
  OutputFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_;
  std::string path_;
};

/// Makes a folder that only we may enter; one that is there stays, anything else there goes. True
/// if it was made.
Result<bool> make_output_folder(const std::string& path);
/// With those above it; what is there already stays, also a link to a folder.
Result<void> make_output_folders(const std::string& path);
/// Links, devices and pipes, described as they are made.
Result<void> make_special(const std::string& path, const Node& node, const Ownership& ownership);
Result<void> make_hard_link(const std::string& existing, const std::string& path);
/// Of a folder or anything else that is there.
Result<void> describe_path(const std::string& path, const Node& node, const Ownership& ownership);
/// With all that is in it; how many files went.
Result<uint64_t> remove_all(const std::string& path);

}  // namespace holdfast::repo
