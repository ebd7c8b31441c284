#include "rootfs/kernel_views.h"

#include <holdfast/base/walls.h>

#include "rootfs/beneath.h"
#include "rootfs/mounts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::node {
namespace {

constexpr uint64_t kView = kTame | MOUNT_ATTR_NOEXEC;
constexpr uint64_t kDevice = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
constexpr const char* kControlGroups = "/sys/fs/cgroup";

// The lists of runc's default configuration. A path that this kernel has not is left out.
constexpr const char* kMasked[] = {
    "acpi",          "asound",     "interrupts",  "kcore", "keys",
    "latency_stats", "timer_list", "timer_stats", "scsi",  "sched_debug",
};
constexpr const char* kReadOnly[] = {"bus", "fs", "irq", "sys", "sysrq-trigger"};
constexpr const char* kMaskedOfSys[] = {"firmware", "devices/virtual/powercap"};

struct Link {
  const char *name, *target;
};
constexpr Link kLinks[] = {{"fd", "/proc/self/fd"},
                           {"stdin", "/proc/self/fd/0"},
                           {"stdout", "/proc/self/fd/1"},
                           {"stderr", "/proc/self/fd/2"},
                           {"ptmx", "pts/ptmx"}};

Result<Fd> open_path(const std::filesystem::path& path) {
  Fd there(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!there) return system_error("open " + path.string(), errno);
  return there;
}

Result<Fd> part_of(const Fd& view, const char* name) {
  Fd there(openat(view.get(), name, O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!there) return system_error(fmt::format("find {}", name), errno);
  return there;
}

Result<Fd> new_part(const Fd& dev, const char* name, bool folder) {
  if (folder ? mkdirat(dev.get(), name, 0755) != 0
             : mknodat(dev.get(), name, S_IFREG | 0644, 0) != 0)
    return system_error(fmt::format("make /dev/{}", name), errno);
  return part_of(dev, name);
}

/// The machine's own device, as a mount: no file of this file system is one.
Result<Fd> device(const char* name, uint64_t attributes) {
  const Fd there = HF_TRY(open_path(std::filesystem::path("/dev") / name));
  Fd copy = HF_TRY(copy_mount(there, Below::Left));
  HF_TRY(set_attributes(copy, attributes));
  return copy;
}

Result<Fd> empty_folder() {
  return new_mount("tmpfs", {{"size", "4k"}, {"mode", "755"}}, kView | MOUNT_ATTR_RDONLY);
}

Result<void> mask(const Fd& view, const char* name) {
  const Result<Fd> there = part_of(view, name);
  if (!there) return {};
  struct stat facts {};
  if (fstat(there->get(), &facts) != 0) return system_error(fmt::format("mask {}", name), errno);
  if (S_ISDIR(facts.st_mode)) return attach(empty_folder(), there);
  return attach(device("null", kDevice | MOUNT_ATTR_RDONLY), there);
}

Result<void> make_read_only(const Fd& view, const char* name) {
  const Result<Fd> there = part_of(view, name);
  if (!there) return {};
  const Fd copy = HF_TRY(copy_mount(*there, Below::Taken));
  HF_TRY(set_attributes(copy, kView | MOUNT_ATTR_RDONLY));
  return attach(copy, *there);
}

Result<Fd> copy_of(const std::filesystem::path& path, Below below, uint64_t attributes) {
  const Fd there = HF_TRY(open_path(path));
  Fd copy = HF_TRY(copy_mount(there, below));
  HF_TRY(set_attributes(copy, attributes));
  return copy;
}

/// Programs size themselves by the limits of their control group.
Result<void> add_control_groups(const Fd& sys) {
  struct statfs facts {};
  if (statfs(kControlGroups, &facts) != 0 || facts.f_type == SYSFS_MAGIC) return {};
  return attach(copy_of(kControlGroups, Below::Taken, kView | MOUNT_ATTR_RDONLY),
                part_of(sys, "fs/cgroup"));
}

}  // namespace

Result<void> add_devices(const Fd& root, const std::filesystem::path& shared_memory) {
  const Fd dev = HF_TRY(new_mount("tmpfs", {{"mode", "755"}, {"size", "65536k"}}, kTame));
  const Fd dev_point = HF_TRY(plain_folder(root, "dev"));
  HF_TRY(attach(dev, dev_point));
  for (const char* name : {"null", "zero", "full", "random", "urandom", "tty"})
    HF_TRY(attach(device(name, kDevice), new_part(dev, name, false)));
  for (const Link& link : kLinks)
    if (symlinkat(link.target, dev.get(), link.name) != 0)
      return system_error(fmt::format("make /dev/{}", link.name), errno);
  HF_TRY(attach(
      new_mount("devpts", {{"newinstance", ""}, {"ptmxmode", "0666"}, {"mode", "0620"}}, kDevice),
      new_part(dev, "pts", true)));
  HF_TRY(attach(copy_of(shared_memory, Below::Left, kView), new_part(dev, "shm", true)));
  return attach(new_mount("mqueue", {}, kView), new_part(dev, "mqueue", true));
}

Result<void> add_kernel_views(const Fd& root, Knobs knobs) {
  const Fd proc = HF_TRY(new_mount("proc", {}, kView));
  const Fd proc_point = HF_TRY(plain_folder(root, "proc"));
  HF_TRY(attach(proc, proc_point));
  const uint64_t changes = knobs == Knobs::Open ? 0 : MOUNT_ATTR_RDONLY;
  const Fd sys = HF_TRY(copy_of("/sys", Below::Left, kView | changes));
  const Fd sys_point = HF_TRY(plain_folder(root, "sys"));
  HF_TRY(attach(sys, sys_point));
  HF_TRY(add_control_groups(sys));
  if (knobs == Knobs::Open || !wall_stands("knobs of the machine are masked")) return {};
  for (const char* name : kReadOnly) HF_TRY(make_read_only(proc, name));
  for (const char* name : kMasked) HF_TRY(mask(proc, name));
  for (const char* name : kMaskedOfSys) HF_TRY(mask(sys, name));
  return {};
}

}  // namespace holdfast::node
