/// A file as memory: what is looked at is read, and goes again when memory is short.
#pragma once

#include <holdfast/base/result.h>

#include <string>
#include <string_view>
#include <utility>

namespace holdfast::repo {

/// Only for files that nobody writes to or cuts off once they are there: reading beyond the end of
/// one that shrank kills the process.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);
  /// The whole of an open file, which stays the caller's.
  static Result<MappedFile> of(int fd, const std::string& path);
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return bytes_; }
  /// Reads ahead from here on, or does not.
  void expect_order(bool in_order) const;
  /// What was looked at there counts no longer as memory of the process. It can be read as before.
  void forget(uint64_t offset, uint64_t size) const;

 private:
  explicit MappedFile(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};

}  // namespace holdfast::repo
