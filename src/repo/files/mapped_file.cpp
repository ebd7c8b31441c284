#include "files/mapped_file.h"

#include "files/failure.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

constexpr uint64_t kPage = 4096;

void* address(std::string_view bytes, uint64_t offset) {
  return const_cast<char*>(bytes.data() + offset);  // NOLINT: madvise takes no const
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return file_failure("open", path);
  Result<MappedFile> mapped = of(fd, path);
  ::close(fd);
  return mapped;
}

Result<MappedFile> MappedFile::of(int fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return file_failure("stat", path);
  if (!S_ISREG(info.st_mode)) return Error(Fault::Invalid, "map " + path + ": no plain file");
  const auto size = size_t(info.st_size);
  if (size == 0) return MappedFile({});
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (start == MAP_FAILED) return file_failure("map", path);
  return MappedFile({static_cast<const char*>(start), size});
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(address(bytes_, 0), bytes_.size());
}

void MappedFile::expect_order(bool in_order) const {
  if (!bytes_.empty())
    ::madvise(address(bytes_, 0), bytes_.size(), in_order ? MADV_SEQUENTIAL : MADV_RANDOM);
}

void MappedFile::forget(uint64_t offset, uint64_t size) const {
  const uint64_t end = std::min<uint64_t>(offset + size, bytes_.size());
  const uint64_t from = offset / kPage * kPage;
  if (from < end) ::madvise(address(bytes_, from), end - from, MADV_DONTNEED);
}

}  // namespace holdfast::repo
