#include "provider/pool.h"

#include <holdfast/base/files.h>
#include <holdfast/base/process.h>
#include <holdfast/base/text.h>

#include "provider/failure.h"
#include "provider/tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/btrfs.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace holdfast::volumes {

namespace fs = std::filesystem;

namespace {

/// The kernel resizes no smaller btrfs.
constexpr int64_t kSmallest = int64_t{256} << 20U;
constexpr int kTries = 20;  ///< others take free loop devices too

bool is_mounted(const fs::path& point) {
  struct stat here {
  }, above{};
  return stat(point.c_str(), &here) == 0 && stat(point.parent_path().c_str(), &above) == 0 &&
         here.st_dev != above.st_dev;
}

Result<void> reserve(const fs::path& file, int64_t size) {
  const Descriptor opened(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!opened) return failed("open", file);
  if (fallocate(opened.get(), 0, 0, size) != 0)
    return failed(fmt::format("reserve {} bytes for", size), file);
  return fsync(opened.get()) == 0 ? ok() : Result<void>(failed("sync", file));
}

/// Made beside and renamed: a pool that is there is complete.
Result<void> make_pool_file(const fs::path& file, int64_t size) {
  const fs::path fresh = file.string() + ".new";
  HF_TRY(remove_file(fresh));
  Result<void> made = reserve(fresh, size);
  if (made) {
    Result<std::string> formatted = output_of({"mkfs.btrfs", "-q", "-f", fresh.string()});
    if (!formatted)
      made = formatted.take_error()
                 .with_context("make a btrfs in " + fresh.string())
                 .with_hint("mkfs.btrfs is in the package btrfs-progs");
  }
  if (made) return rename_folder(fresh, file);
  HF_TRY(remove_file(fresh));
  return made;
}

/// The device that the file is on already: a second one would be a second, unaware, file system.
std::string device_of(const fs::path& file) {
  std::error_code code;
  const fs::path wanted = fs::canonical(file, code);
  for (const std::string& each : matching_paths("/sys/block/loop*/loop/backing_file")) {
    const Result<std::string> backing = read_file(each);
    if (backing && trim(*backing) == wanted.string())
      return "/dev/" + fs::path(each).parent_path().parent_path().filename().string();
  }
  return "";
}

Result<std::string> attach(const fs::path& file) {
  if (std::string known = device_of(file); !known.empty()) return known;
  const Descriptor control(open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  if (!control) return failed("open", "/dev/loop-control");
  const Descriptor backing(open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (!backing) return failed("open", file);
  loop_config config{};
  config.fd = static_cast<uint32_t>(backing.get());
  config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
  for (int i = 0; i < kTries; ++i) {
    const int number = ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return failed("find a free loop device for", file);
    const std::string device = fmt::format("/dev/loop{}", number);
    // Held open until it is mounted: nobody else holds it, and the last to close it detaches it.
    const Descriptor loop(open(device.c_str(), O_RDWR | O_CLOEXEC));
    if (!loop) return failed("open", device);
    if (ioctl(loop.get(), LOOP_CONFIGURE, &config) == 0) {
      const fs::path point = file.parent_path() / "pool";
      if (mount(device.c_str(), point.c_str(), "btrfs", 0, "nodiscard") != 0)
        return failed(fmt::format("mount {} at", file.string()), point);
      return device;
    }
    if (errno != EBUSY) return failed("attach a loop device to", file);
  }
  return Error(Fault::Unavailable, "no loop device is free for " + file.string());
}

Result<void> mount_pool(const fs::path& file, const fs::path& point) {
  HF_TRY(make_folder(point, 0700));
  if (is_mounted(point)) return ok();
  const std::string device = HF_TRY(attach(file));
  // One that was attached already, by a process that ended while pods held the file system.
  if (is_mounted(point)) return ok();
  if (mount(device.c_str(), point.c_str(), "btrfs", 0, "nodiscard") != 0)
    return failed(fmt::format("mount {} at", file.string()), point);
  return ok();
}

/// The file, then the device, then the file system: each can be done again.
Result<void> grow(const fs::path& file, const fs::path& point, int64_t size) {
  struct stat what {};
  if (stat(file.c_str(), &what) != 0) return failed("look at", file);
  if (what.st_size < size) HF_TRY(reserve(file, size));
  const std::string device = device_of(file);
  const Descriptor loop(open(device.c_str(), O_RDWR | O_CLOEXEC));
  if (!loop || ioctl(loop.get(), LOOP_SET_CAPACITY, 0) != 0) return failed("grow", device);
  const Descriptor root(open(point.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  btrfs_ioctl_vol_args arguments{};
  std::strcpy(arguments.name, "max");
  if (!root || ioctl(root.get(), BTRFS_IOC_RESIZE, &arguments) != 0) return failed("grow", point);
  return ok();
}

}  // namespace

Result<Pool> open_pool(const fs::path& dir, int64_t size) {
  HF_TRY(make_folder(dir, 0700));
  const fs::path file = dir / "pool.btrfs";
  Pool pool{.folder = dir / "pool"};
  if (!is_there(file) && size < kSmallest)
    return Error(Fault::Invalid, fmt::format("make a pool of {} bytes in {}: it needs at least "
                                             "256Mi",
                                             size, file.string()));
  if (!is_there(file)) HF_TRY(make_pool_file(file, size));
  HF_TRY(mount_pool(file, pool.folder));
  const Result<void> grown = grow(file, pool.folder, size);
  if (!grown)
    pool.trouble = fmt::format("pool {} cannot grow to {} bytes: {}", file.string(), size,
                               grown.error().what());
  return pool;
}

void close_pool(const Pool& pool) { umount2(pool.folder.c_str(), UMOUNT_NOFOLLOW); }

}  // namespace holdfast::volumes
