/// Filter of system calls for containers: seccompProfile RuntimeDefault, with the calls that
/// container runtimes allow by default.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/base/result.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace holdfast::node {

/// The bytes of the kernel's program. Some calls are allowed only to processes that may have a
/// certain capability. What is refused fails with EPERM; a call that is newer than our library with
/// ENOSYS, so that programs do without it.
Result<std::string> seccomp_program(uint64_t capabilities);

/// Files with such programs, each made once: it takes longer than all else of a pod's start.
///
///   FOLDER/<sha256 of the bytes>
class SeccompFilters {
 public:
  explicit SeccompFilters(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<std::filesystem::path> file_for(uint64_t capabilities);

 private:
  const std::filesystem::path folder_;
  Mutex mutex_;
  std::map<uint64_t, std::filesystem::path> files_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::node
