#include "provider/tree.h"

#include "provider/failure.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <vector>

namespace holdfast::volumes {

namespace {

Result<void> sync_folder(const fs::path& folder) {
  const Descriptor file(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file || fsync(file.get()) != 0) return failed("sync", folder);
  return ok();
}

/// Two open files per level stay open; deeper trees are refused rather than run out of them.
constexpr int kDeepest = 200;

/// An entry of a folder on its way into another. Both folders are held open and links are never
/// followed: whoever writes to the volume meanwhile cannot lead us out of it.
struct Entry {
  int from, to;
  const char* name;
  fs::path path;  ///< for messages and hard links: where it goes
  struct stat what;
};

class Copying {
 public:
  Copying(const CopyBytes& copy, const std::stop_token& stop) : copy_(copy), stop_(stop) {}

  Result<void> folder(int from, int to, const fs::path& path, int depth) {
    if (depth > kDeepest)
      return Error(Fault::Invalid, fmt::format("{}: folders are nested more than {} deep",
                                               path.string(), kDeepest));
    // Reading moves the place in the folder: of a second handle, so that ours stays usable.
    const int listed = openat(from, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (listed < 0) return failed("open", path);
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(listed), closedir);
    for (;;) {
      errno = 0;
      const dirent* each = readdir(listing.get());  // NOLINT(concurrency-mt-unsafe): our own DIR
      if (each == nullptr) return errno == 0 ? ok() : Result<void>(failed("list", path));
      const std::string name = each->d_name;
      if (name == "." || name == "..") continue;
      HF_TRY(entry({from, to, name.c_str(), path / name, {}}, depth));
    }
  }

  /// The attributes of what both handles show.
  static Result<void> attributes(int from, int to, const fs::path& path, const struct stat& what) {
    // Owner before mode: a change of owner takes set-user-id bits away.
    const bool same = what.st_uid == geteuid() && what.st_gid == getegid();
    if (!same && fchown(to, what.st_uid, what.st_gid) != 0) return failed("give away", path);
    HF_TRY(extended(from, to, path));
    if (fchmod(to, what.st_mode & 07777U) != 0) return failed("set the mode of", path);
    const timespec times[] = {what.st_atim, what.st_mtim};
    if (futimens(to, times) != 0) return failed("set the times of", path);
    return ok();
  }

 private:
  Result<void> entry(Entry at, int depth) {
    if (stop_.stop_requested())
      return Error(Fault::Unavailable, "asked to stop while copying " + at.path.string());
    if (fstatat(at.from, at.name, &at.what, AT_SYMLINK_NOFOLLOW) != 0)
      return errno == ENOENT ? ok() : Result<void>(failed("look at", at.path));
    if (S_ISDIR(at.what.st_mode)) return subfolder(at, depth);
    if (S_ISSOCK(at.what.st_mode)) return ok();
    if (at.what.st_nlink > 1) {
      const auto [first, is_new] = linked_.try_emplace({at.what.st_dev, at.what.st_ino}, at.path);
      if (!is_new && linkat(AT_FDCWD, first->second.c_str(), at.to, at.name, 0) == 0) return ok();
      if (!is_new) return failed("link", at.path);
    }
    return S_ISREG(at.what.st_mode) ? file(at) : special(at);
  }

  Result<void> subfolder(const Entry& at, int depth) {
    const Descriptor in(openat(at.from, at.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!in) return changed(at.path);
    if (mkdirat(at.to, at.name, 0700) != 0) return failed("make folder", at.path);
    const Descriptor out(openat(at.to, at.name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!out) return failed("open", at.path);
    HF_TRY(folder(in.get(), out.get(), at.path, depth + 1));
    return attributes(in.get(), out.get(), at.path, at.what);
  }

  Result<void> file(const Entry& at) {
    const Descriptor in(openat(at.from, at.name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat opened {};
    if (!in || fstat(in.get(), &opened) != 0 || !S_ISREG(opened.st_mode)) return changed(at.path);
    const Descriptor out(openat(at.to, at.name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!out) return failed("create", at.path);
    if (Result<void> copied = copy_(in.get(), out.get(), stop_); !copied)
      return copied.take_error().with_context("copy " + at.path.string());
    return attributes(in.get(), out.get(), at.path, opened);
  }

  static Result<void> special(const Entry& at) {
    if (S_ISLNK(at.what.st_mode)) {
      std::vector<char> target(PATH_MAX + 1);
      const ssize_t length = readlinkat(at.from, at.name, target.data(), PATH_MAX);
      if (length < 0) return changed(at.path);
      if (symlinkat(target.data(), at.to, at.name) != 0) return failed("link", at.path);
    } else if (mknodat(at.to, at.name, at.what.st_mode, at.what.st_rdev) != 0) {
      return failed("make", at.path);
    }
    if (fchownat(at.to, at.name, at.what.st_uid, at.what.st_gid, AT_SYMLINK_NOFOLLOW) != 0)
      return failed("give away", at.path);
    const timespec times[] = {at.what.st_atim, at.what.st_mtim};
    if (utimensat(at.to, at.name, times, AT_SYMLINK_NOFOLLOW) != 0)
      return failed("set the times of", at.path);
    return ok();
  }

  /// What was there a moment ago is gone, or something else by now: its writer is not done with it.
  static Result<void> changed(const fs::path& path) {
    if (errno == ENOENT || errno == ELOOP || errno == ENOTDIR || errno == 0) return ok();
    return failed("open", path);
  }

  static Result<void> extended(int from, int to, const fs::path& path) {
    std::vector<char> names(65536), value(65536);
    const ssize_t length = flistxattr(from, names.data(), names.size());
    if (length < 0 && errno == ENOTSUP) return ok();
    if (length < 0) return failed("list the attributes of", path);
    for (const char* name = names.data(); name < names.data() + length;
         name += std::string_view(name).size() + 1) {
      const ssize_t size = fgetxattr(from, name, value.data(), value.size());
      if (size < 0) continue;  // gone meanwhile, or not ours to read
      if (fsetxattr(to, name, value.data(), size_t(size), 0) != 0 && errno != EPERM &&
          errno != ENOTSUP)
        return failed(fmt::format("set attribute {} of", name), path);
    }
    return ok();
  }

  const CopyBytes& copy_;
  const std::stop_token& stop_;
  std::map<std::pair<dev_t, ino_t>, fs::path> linked_{};
};

}  // namespace

bool is_there(const fs::path& path) {
  struct stat what {};
  return lstat(path.c_str(), &what) == 0;
}

Result<void> make_open_folder(const fs::path& path, mode_t mode) {
  if (mkdir(path.c_str(), mode) != 0)
    return errno == EEXIST ? ok() : Result<void>(failed("make folder", path));
  if (chmod(path.c_str(), mode) != 0) return failed("set the mode of", path);
  return sync_folder(path.parent_path());
}

Result<void> rename_folder(const fs::path& from, const fs::path& to) {
  if (rename(from.c_str(), to.c_str()) != 0)
    return failed(fmt::format("rename to {}:", to.string()), from);
  HF_TRY(sync_folder(to.parent_path()));
  return from.parent_path() == to.parent_path() ? ok() : sync_folder(from.parent_path());
}

Result<void> remove_file(const fs::path& path) {
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return failed("remove", path);
  return ok();
}

Result<void> remove_if_empty(const fs::path& folder) {
  if (rmdir(folder.c_str()) != 0 && errno != ENOTEMPTY && errno != EEXIST && errno != ENOENT)
    return failed("remove", folder);
  return ok();
}

Result<void> remove_tree(const fs::path& folder) {
  std::error_code code;
  fs::remove_all(folder, code);
  if (code && code.value() != ENOENT) return failed("remove", folder, code.value());
  return ok();
}

Result<void> copy_bytes(int from, int to, const std::stop_token& stop) {
  constexpr size_t kPiece = size_t{64} << 20U;  // so that a stop is not waited for long
  struct stat what {};
  if (fstat(from, &what) != 0) return failed("look at", "the file");
  for (off_t at = 0; at < what.st_size;) {
    const off_t data = lseek(from, at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;
    if (data < 0) return failed("find the data of", "the file");
    off_t hole = lseek(from, data, SEEK_HOLE);
    if (hole < 0) hole = what.st_size;
    off_t in = data, out = data;
    while (in < hole) {
      if (stop.stop_requested()) return Error(Fault::Unavailable, "asked to stop");
      const ssize_t moved =
          copy_file_range(from, &in, to, &out, std::min(kPiece, size_t(hole - in)), 0);
      if (moved < 0) return failed("write", "the copy");
      if (moved == 0) break;  // cut short by its writer
    }
    at = std::max(hole, in);
  }
  return ftruncate(to, what.st_size) == 0 ? ok()
                                          : Result<void>(failed("set the size of", "the copy"));
}

Result<void> share_blocks(int from, int to, const std::stop_token&) {
  return ioctl(to, FICLONE, from) == 0 ? ok() : Result<void>(failed("share the blocks of", "it"));
}

Result<void> expect_room(const fs::path& from, const fs::path& beside) {
  constexpr uint64_t kBlock = 512;  // of st_blocks
  uint64_t needed = 0;
  std::error_code none;
  for (fs::recursive_directory_iterator at(from, none), end; at != end; at.increment(none)) {
    struct stat what {};
    if (lstat(at->path().c_str(), &what) != 0) continue;  // gone meanwhile
    needed += uint64_t(what.st_blocks) * kBlock / std::max<uint64_t>(1, what.st_nlink);
  }
  struct statvfs disk {};
  if (statvfs(beside.c_str(), &disk) != 0) return failed("look for room at", beside);
  const uint64_t left = uint64_t(disk.f_bavail) * disk.f_frsize;
  if (needed < left) return ok();
  return failed(
      fmt::format("copy {} MiB beside the {} MiB that are left at", needed >> 20, left >> 20),
      beside, ENOSPC);
}

Result<void> copy_tree(const fs::path& from, const fs::path& to, const CopyBytes& copy,
                       const std::stop_token& stop) {
  constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const Descriptor in(open(from.c_str(), kFolder));
  struct stat what {};
  if (!in || fstat(in.get(), &what) != 0) return failed("open", from);
  if (mkdir(to.c_str(), 0700) != 0) return failed("make folder", to);
  const Descriptor out(open(to.c_str(), kFolder));
  if (!out) return failed("open", to);
  HF_TRY(Copying(copy, stop).folder(in.get(), out.get(), to, 0));
  HF_TRY(Copying::attributes(in.get(), out.get(), to, what));
  if (syncfs(out.get()) != 0) return failed("sync", to);
  return sync_folder(to.parent_path());
}

}  // namespace holdfast::volumes
