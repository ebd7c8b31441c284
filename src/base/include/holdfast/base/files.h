/// File operations, the few that we need: whole reads, writes that are all or nothing, and the lock
/// of a data folder.
#pragma once

#include <holdfast/base/result.h>

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

Result<std::string> read_file(const std::filesystem::path& path);
/// `most` bytes of it, or fewer if it has no more: of files whose length is not ours to decide.
Result<std::string> read_start(const std::filesystem::path& path, size_t most);
Result<std::string> read_end(const std::filesystem::path& path, size_t most);
/// The same of a file with secrets: Denied if other users may read or write it, or if it is theirs.
Result<std::string> read_secret_file(const std::filesystem::path& path);
/// Written beside, synced, renamed over: a reader sees the old bytes or the new ones, also after
/// power loss.
Result<void> write_file(const std::filesystem::path& path, std::string_view bytes, mode_t mode);

/// Gives a file to whom another, or a folder, belongs.
Result<void> own_as(const std::filesystem::path& path, const std::filesystem::path& like);

/// A new file written piece by piece.
class FileWriter {
 public:
  /// What was there is replaced.
  static Result<FileWriter> create(const std::filesystem::path& path, mode_t mode);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&& other) = delete;
  ~FileWriter();
  Result<void> write(std::string_view bytes);
  /// Synced to disk.
  Result<void> finish();

 private:
  FileWriter(std::filesystem::path path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::filesystem::path path_;
  int fd_;
};

/// What is on disk and fits a shell's pattern (* ? [a-z]), sorted.
std::vector<std::string> matching_paths(const std::string& pattern);
/// With parents; folders made get `mode`.
Result<void> make_folder(const std::filesystem::path& path, mode_t mode);

/// Holds `folder/lock` until destroyed. Held elsewhere: Fault::Conflict, naming the holder's pid.
class FolderLock {
 public:
  static Result<FolderLock> take(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace holdfast
