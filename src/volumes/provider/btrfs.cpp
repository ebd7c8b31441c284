/// The provider on btrfs: a namespace is one subvolume, a volume a folder in it, and a cut one
/// read-only snapshot of the subvolume. So any set of a namespace's volumes is cut at one instant,
/// and the cut holds what was synced by then, in the order in which it was synced.
#include "provider/failure.h"
#include "provider/provider.h"
#include "provider/tree.h"

#include <fcntl.h>
#include <linux/btrfs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace holdfast::volumes {

namespace {

/// The inode of a subvolume's root, on every btrfs.
constexpr ino_t kSubvolumeRoot = 256;

bool is_subvolume(const fs::path& folder) {
  struct stat what {};
  return lstat(folder.c_str(), &what) == 0 && S_ISDIR(what.st_mode) &&
         what.st_ino == kSubvolumeRoot;
}

/// One of the calls that name an entry of the folder they are made on.
template <class Arguments>
Result<void> call(unsigned long request, std::string_view doing, const fs::path& path,
                  Arguments arguments) {
  const std::string name = path.filename();
  if (name.size() >= sizeof(arguments.name)) return failed(doing, path, ENAMETOOLONG);
  std::memcpy(arguments.name, name.c_str(), name.size() + 1);
  const Descriptor folder(open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return failed("open", path.parent_path());
  if (ioctl(folder.get(), request, &arguments) != 0) return failed(doing, path);
  return ok();
}

Result<void> destroy(const fs::path& subvolume) {
  return call(BTRFS_IOC_SNAP_DESTROY, "remove subvolume", subvolume, btrfs_ioctl_vol_args{});
}

/// Pods may make subvolumes of their own inside a volume; deepest first, none holds another.
Result<void> destroy_below(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code code;
  fs::recursive_directory_iterator at(folder, code);
  for (; !code && at != fs::recursive_directory_iterator(); at.increment(code))
    if (is_subvolume(at->path())) found.push_back(at->path());
  if (code) return failed("list", folder, code.value());
  std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) {
    return std::distance(a.begin(), a.end()) > std::distance(b.begin(), b.end());
  });
  for (const fs::path& subvolume : found) HF_TRY(destroy(subvolume));
  return ok();
}

class Btrfs final : public Provider {
 public:
  std::string_view name() const override { return "btrfs"; }
  std::string_view promise() const override {
    return "a snapshot, of one volume or of any set of a namespace's, is one instant: a "
           "crash-consistent cut of what was synced; the size of a volume is not enforced";
  }
  bool cuts_groups() const override { return true; }

  Result<void> make_namespace(const fs::path& folder) override {
    if (is_subvolume(folder)) return ok();
    HF_TRY(call(BTRFS_IOC_SUBVOL_CREATE, "make subvolume", folder, btrfs_ioctl_vol_args{}));
    return chmod(folder.c_str(), 0700) == 0 ? ok()
                                            : Result<void>(failed("set the mode of", folder));
  }

  Result<void> cut(const fs::path& of, const std::vector<std::string>&, const fs::path& into,
                   const std::stop_token&) override {
    const Descriptor source(open(of.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!source) return failed("open", of);
    btrfs_ioctl_vol_args_v2 arguments{};
    arguments.fd = source.get();
    arguments.flags = BTRFS_SUBVOL_RDONLY;
    return call(BTRFS_IOC_SNAP_CREATE_V2, "snapshot into", into, arguments);
  }

  Result<void> clone(const fs::path& from, const fs::path& to,
                     const std::stop_token& stop) override {
    return copy_tree(from, to, share_blocks, stop);
  }

  Result<void> remove(const fs::path& folder) override {
    if (is_subvolume(folder / "data")) HF_TRY(destroy(folder / "data"));
    if (is_subvolume(folder)) return destroy(folder);
    if (remove_tree(folder)) return ok();
    HF_TRY(destroy_below(folder));
    return remove_tree(folder);
  }
};

}  // namespace

std::unique_ptr<Provider> make_btrfs_provider() { return std::make_unique<Btrfs>(); }

}  // namespace holdfast::volumes
