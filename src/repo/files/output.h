/// Writing of restored files. Nothing here follows a link at the end of a path.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/repo/tree.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::repo {

struct Ownership {
  bool owners = true, extended_attributes = true;
  std::function<std::pair<uint32_t, uint32_t>(uint32_t uid, uint32_t gid)> mapped{};
};

/// Where files are written to: remembers that there was no room left. Safe to use from many
/// threads.
class Disk {
 public:
  bool full() const { return full_; }
  /// What there was no room for first.
  std::string trouble() const;
  /// What went wrong, by errno.
  Error failure(std::string_view doing, const std::string& path);

 private:
  std::atomic<bool> full_{false};
  mutable Mutex mutex_;
  std::string trouble_ HF_GUARDED_BY(mutex_);
};

class OutputFile {
 public:
  /// What is there and is no plain file goes; a plain file stays as it is. The disk outlives it.
  static Result<OutputFile> open(Disk& disk, const std::string& path);
  /// A block device that nobody else uses, or a file, whose bytes are to be written over.
  static Result<OutputFile> open_over(Disk& disk, const std::string& path);
  OutputFile(OutputFile&& other) noexcept
      : disk_(other.disk_), fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Result<void> write(std::string_view bytes, uint64_t offset);
  /// Everything written is on the disk.
  Result<void> sync();
  /// Cut off or extended with a hole.
  Result<void> set_size(uint64_t size);
  /// Owner, mode, extended attributes, times; everything that can be set is, the first failure is
  /// returned. A file that is not given to its owner keeps no set-user-ID and set-group-ID: they
  /// would be another's.
  Result<void> describe(const Node& node, const Ownership& ownership);

 private:
  OutputFile(Disk& disk, int fd, std::string path) : disk_(disk), fd_(fd), path_(std::move(path)) {}
  Disk& disk_;
  int fd_;
  std::string path_;
};

/// Makes a folder that only we may enter; one that is there stays, anything else there goes. True
/// if it was made.
Result<bool> make_output_folder(Disk& disk, const std::string& path);
/// With those above it; what is there already stays, also a link to a folder.
Result<void> make_output_folders(const std::string& path);
/// Links, devices and pipes, described as they are made.
Result<void> make_special(Disk& disk, const std::string& path, const Node& node,
                          const Ownership& ownership);
Result<void> make_hard_link(Disk& disk, const std::string& existing, const std::string& path);
/// Of a folder or anything else that is there.
Result<void> describe_path(const std::string& path, const Node& node, const Ownership& ownership);
/// With all that is in it; how many files went.
Result<uint64_t> remove_all(const std::string& path);

}  // namespace holdfast::repo
