#include "rootfs/rootfs.h"

#include <holdfast/base/files.h>

#include "rootfs/beneath.h"
#include "rootfs/kernel_views.h"
#include "rootfs/mounts.h"
#include "users/user_namespace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::node {
namespace {

/// A volume of the container, open and not yet anywhere in its tree.
struct Source {
  Fd mount;
  bool folder = false;
};

Error no_translation(const Error& cause) {
  return {Fault::Invalid,
          fmt::format("{}: its file system cannot; use another (ext4, XFS, btrfs), or a pod with "
                      "hostUsers: true",
                      cause.what())};
}

/// Volumes keep on disk the ids that pods see: one that was written to before pods had namespaces,
/// or by a pod without one, is as usable as any.
Result<void> show_ids(const PodPlace& place, const MountSpec& spec, const Fd& mount) {
  if (!place.users || spec.ids == "Pod") return {};
  Result<void> shown = translate_ids(mount, place.users, Translated::All);
  if (shown) return {};
  // Of the machine's folders not all can: /proc, say. To those the pod is any user.
  if (translate_ids(mount, place.users, Translated::TopOnly) || spec.ids == "Any") return {};
  return no_translation(shown.error());
}

Result<Source> open_source(const PodPlace& place, const MountSpec& mount) {
  const int links = mount.made_here ? O_NOFOLLOW : 0;
  Fd there(::open(mount.from.c_str(), O_PATH | O_CLOEXEC | links));
  if (!there) return system_error("open the volume " + mount.from, errno);
  if (!mount.sub_path.empty()) there = HF_TRY(open_sub_path(there, mount.sub_path));
  struct stat facts {};
  if (fstat(there.get(), &facts) != 0) return system_error("look at " + mount.from, errno);
  if (S_ISLNK(facts.st_mode))
    return Error(Fault::Invalid, fmt::format("open the volume {}: it is a link", mount.from));
  Source source{HF_TRY(copy_mount(there, Below::Taken)), S_ISDIR(facts.st_mode)};
  HF_TRY(show_ids(place, mount, source.mount));
  HF_TRY(set_attributes(source.mount, kTame | (mount.read_only ? MOUNT_ATTR_RDONLY : 0)));
  return source;
}

Result<std::vector<Source>> open_sources(const PodPlace& place, const ContainerSpec& spec) {
  std::vector<Source> sources;
  for (const MountSpec& mount : spec.mounts) {
    Result<Source> source = open_source(place, mount);
    if (!source) return source.take_error().with_context("mount at " + mount.to);
    sources.push_back(source.take());
  }
  return sources;
}

/// Overlay options are lists: what separates them is escaped in paths.
std::string escaped(const std::filesystem::path& path) {
  std::string out;
  for (const char c : path.string()) {
    if (c == ':' || c == ',' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// The layer's own top folder stands for the image's: with its owner, as the pod sees that one.
bool overlay(const std::string& image, const std::filesystem::path& layer, const std::string& root,
             const PodPlace& place) {
  std::error_code ignored;
  std::filesystem::create_directories(layer / "upper", ignored);
  std::filesystem::create_directories(layer / "work", ignored);
  struct stat top {};
  if (::stat(image.c_str(), &top) != 0 || top.st_uid >= kIdsOfPod || top.st_gid >= kIdsOfPod)
    top.st_uid = top.st_gid = 0;
  static_cast<void>(
      !::chown((layer / "upper").c_str(), place.outside(top.st_uid), place.outside(top.st_gid)));
  const std::string lower = place.users ? (layer / "image").string() : image;
  const std::string options = fmt::format("lowerdir={},upperdir={},workdir={}", escaped(lower),
                                          escaped(layer / "upper"), escaped(layer / "work"));
  return mount("overlay", root.c_str(), "overlay", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
}

/// The image with its ids translated, below the layer; the overlay keeps a copy of that mount.
Result<void> mount_translated(const PodPlace& place, const std::string& image,
                              const std::filesystem::path& point) {
  HF_TRY(make_folder(point, 0755));
  const Fd there(::open(image.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const Fd at(::open(point.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!there || !at) return system_error("open the image " + image, errno);
  const Fd copy = HF_TRY(copy_mount(there, Below::Left));
  if (Result<void> shown = translate_ids(copy, place.users, Translated::All); !shown)
    return no_translation(shown.error()).with_context("mount the image " + image);
  return attach(copy, at);
}

/// The layer lies on disk where the kernel allows it; not below the image's own root on the same
/// file system: then in memory.
Result<void> mount_image(const PodPlace& place, const std::string& image,
                         const std::filesystem::path& layer, const std::string& root) {
  const std::filesystem::path translated = layer / "image";
  if (place.users) HF_TRY(mount_translated(place, image, translated));
  if (overlay(image, layer, root, place)) return {};
  if (mount("layer", layer.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=25%") != 0)
    return system_error("mount a layer for writes at " + layer.string(), errno);
  if (place.users) HF_TRY(mount_translated(place, image, translated));
  if (overlay(image, layer, root, place)) return {};
  return system_error(fmt::format("mount the image {} for writing", image), errno);
}

Result<Fd> image_root(const PodPlace& place, const ContainerSpec& spec) {
  const std::filesystem::path root = place.folder / "root" / spec.id;
  HF_TRY(mount_image(place, spec.image_root, layer_of(place, spec.id), root));
  Fd there(::open(root.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!there) return system_error("open " + root.string(), errno);
  return there;
}

/// Folders of the machine that its image must not show.
Result<void> mask_folders(const Fd& root, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    const Fd there = open_inside(root, folder);
    struct stat facts {};
    if (!there || fstat(there.get(), &facts) != 0 || !S_ISDIR(facts.st_mode)) continue;
    const Fd empty =
        HF_TRY(new_mount("tmpfs", {{"size", "4k"}, {"mode", "755"}}, kTame | MOUNT_ATTR_RDONLY));
    HF_TRY(attach(empty, there));
  }
  return {};
}

Result<void> add_volume(const Fd& root, const MountSpec& mount, const Source& source) {
  const Fd point = HF_TRY(mount_point(root, mount.to, source.folder));
  Result<void> attached = attach(source.mount, point);
  if (!attached) return attached.take_error().with_context("at " + mount.to);
  return {};
}

/// The machine's own tree leaves this process's namespace, and cannot be walked to any more.
Result<void> leave_machine(const Fd& root) {
  const Fd machine(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!machine || fchdir(root.get()) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 ||
      fchdir(machine.get()) != 0 || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0)
    return system_error("make the container's root the only one", errno);
  return {};
}

}  // namespace

Result<void> enter_root(const PodPlace& place, const ContainerSpec& spec) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return system_error("make the container's mount namespace", errno);
  umask(022);
  const std::vector<Source> sources = HF_TRY(open_sources(place, spec));
  const Fd root = HF_TRY(image_root(place, spec));
  if (place.users) HF_TRY(make_files_as(place.outside(0)));
  HF_TRY(add_devices(root, place.folder / "shm"));
  HF_TRY(add_kernel_views(root, spec.privileged ? Knobs::Open : Knobs::Masked));
  HF_TRY(mask_folders(root, spec.masked));
  for (size_t i = 0; i < sources.size(); ++i) HF_TRY(add_volume(root, spec.mounts[i], sources[i]));
  mount_attr read_only{};
  read_only.attr_set = MOUNT_ATTR_RDONLY;
  if (spec.read_only_root &&
      mount_setattr(root.get(), "", AT_EMPTY_PATH, &read_only, sizeof read_only) != 0)
    return system_error("make the root read-only", errno);
  HF_TRY(leave_machine(root));
  if (!place.users) return {};
  HF_TRY(join_users(place.users));
  // A copy of the tree that belongs to the namespace: of it no mount can be taken away any more.
  if (unshare(CLONE_NEWNS) != 0) return system_error("lock the container's mounts", errno);
  return {};
}

}  // namespace holdfast::node
