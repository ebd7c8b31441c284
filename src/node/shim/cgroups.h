/// Limits by the kernel's control groups, version 1 or 2, whichever the machine mounts and lets us
/// write. Where it does neither, containers run without limits and `limits_enforced` says so.
#pragma once

#include <holdfast/base/result.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast::node {

struct CgroupLimits {
  int64_t memory = 0;                     ///< bytes; 0 = none
  int64_t cpu_quota = 0, cpu_shares = 0;  ///< microseconds per 100 ms; weight; 0 = none
  int64_t pids = 0;                       ///< 0 = none
};

/// A group by its path below the controllers' roots: "holdfast/pod1234", "holdfast/pod1234/web".
class Cgroup {
 public:
  explicit Cgroup(std::string path) : path_(std::move(path)) {}
  /// Makes it and sets the limits; those that cannot be set are named in the error, the others
  /// hold.
  Result<void> make(const CgroupLimits& limits) const;
  /// Puts the calling process into it. Only system calls: safe between fork and exec.
  void join() const;
  /// How often the kernel killed here for want of memory.
  int64_t oom_kills() const;
  /// Only when nobody is in it.
  void remove() const;

 private:
  std::string path_;
};

/// Whether memory limits can be set on this machine.
bool limits_enforced();

}  // namespace holdfast::node
