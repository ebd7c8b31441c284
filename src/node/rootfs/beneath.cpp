#include "rootfs/beneath.h"

#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace holdfast::node {
namespace {

// With ".." in a path the kernel gives up when anything was renamed meanwhile: a busy machine gets
// another try, a tenant that does nothing else does not hold us for ever.
constexpr int kMostTries = 256;

Fd open_below(const Fd& folder, const std::string& path, uint64_t resolve) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = resolve;
  for (int tries = 0;; ++tries) {
    Fd found(int(syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how)));
    if (found || errno != EAGAIN || tries == kMostTries) return found;
  }
}

bool shows_kernel(const Fd& place) {
  struct statfs facts {};
  if (fstatfs(place.get(), &facts) != 0) return false;
  for (const auto kind : {PROC_SUPER_MAGIC, SYSFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC})
    if (facts.f_type == kind) return true;
  return false;
}

/// With version 1 of control groups /sys/fs/cgroup itself is a tmpfs: its parent tells.
bool is_kernels(const Fd& place) {
  if (!wall_stands("nothing is mounted into /proc and /sys")) return false;
  return shows_kernel(place) ||
         shows_kernel(Fd(openat(place.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC)));
}

Error refused(const std::string& path) {
  return {
      Fault::Invalid,
      fmt::format("mount at {}: it leads into /proc or /sys, where nothing can be mounted", path)};
}

bool same_place(const Fd& one, const Fd& other) {
  struct stat a {
  }, b{};
  return fstat(one.get(), &a) == 0 && fstat(other.get(), &b) == 0 && a.st_dev == b.st_dev &&
         a.st_ino == b.st_ino;
}

bool make_entry(const Fd& folder, const std::string& name, bool is_folder) {
  if (is_folder) return mkdirat(folder.get(), name.c_str(), 0755) == 0;
  return bool(Fd(openat(folder.get(), name.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644)));
}

std::string link_at(const Fd& folder, const std::string& name) {
  std::array<char, PATH_MAX> target{};
  const ssize_t length = readlinkat(folder.get(), name.c_str(), target.data(), target.size());
  return length > 0 ? std::string(target.data(), size_t(length)) : "";
}

/// Makes the first part of `path` that is missing. If a link that leads nowhere stands there, the
/// path goes on where it leads.
Result<void> make_next(const Fd& root, std::string& path, bool folder) {
  Fd at(fcntl(root.get(), F_DUPFD_CLOEXEC, 0));
  std::string done;
  const std::vector<std::string_view> parts = split(path, '/');
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty()) continue;
    const std::string name(parts[i]), next = done + "/" + name;
    Fd there = open_inside(root, next);
    if (there) {
      at = std::move(there);
      done = next;
      continue;
    }
    if (errno != ENOENT) return system_error("find the mount point " + next, errno);
    if (is_kernels(at)) return refused(path);
    const size_t end = size_t(parts[i].data() - path.data()) + parts[i].size();
    const bool last = path.find_first_not_of('/', end) == std::string::npos;
    if (make_entry(at, name, folder || !last)) return {};
    const int cause = errno;
    const std::string target = cause == EEXIST ? link_at(at, name) : "";
    if (target.empty() && cause != EEXIST)
      return system_error("make the mount point " + next, cause);
    if (target.empty()) return {};  // made by somebody else in this moment
    path = (target.starts_with('/') ? target : done + "/" + target) + path.substr(end);
    return {};
  }
  return {};
}

}  // namespace

Fd open_inside(const Fd& root, const std::string& path) {
  if (!wall_stands("mounts stay inside the root")) return open_below(root, "./" + path, 0);
  return open_below(root, path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

Result<Fd> mount_point(const Fd& root, const std::string& path, bool folder) {
  std::string way = path;
  for (int tries = 0; tries < kMostTries; ++tries) {
    Fd there = open_inside(root, way);
    if (there && same_place(there, root))
      return Error(Fault::Invalid, fmt::format("mount at {}: that is the container's root", path));
    if (there && is_kernels(there)) return refused(path);
    if (there) return there;
    if (errno != ENOENT) return system_error("find the mount point " + path, errno);
    HF_TRY(make_next(root, way, folder));
  }
  return system_error("make the mount point " + path, ELOOP);
}

Result<Fd> plain_folder(const Fd& root, const std::string& name) {
  mkdirat(root.get(), name.c_str(), 0755);
  const bool plain = wall_stands("kernel folders are no links");
  Fd there = plain ? open_below(root, name, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS)
                   : open_inside(root, name);
  struct stat facts {};
  if (there && fstat(there.get(), &facts) == 0 && S_ISDIR(facts.st_mode)) return there;
  return Error(Fault::Invalid, fmt::format("the image's /{} must be a folder", name));
}

Result<Fd> open_sub_path(const Fd& volume, const std::string& sub_path) {
  const bool stays = wall_stands("a subPath stays in its volume");
  Fd at = open_below(volume, sub_path, stays ? RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS : 0);
  if (at) return at;
  at = Fd(fcntl(volume.get(), F_DUPFD_CLOEXEC, 0));
  for (const std::string_view part : split(sub_path, '/')) {
    if (part.empty() || part == ".") continue;
    const std::string step(part);
    if (part != "..") mkdirat(at.get(), step.c_str(), 0755);
    Fd next = open_below(at, step, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS);
    if (!next) return system_error("failed to prepare subPath for volumeMount: " + sub_path, errno);
    at = std::move(next);
  }
  return at;
}

}  // namespace holdfast::node
