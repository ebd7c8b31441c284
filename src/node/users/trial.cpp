// Trial of what user namespaces of pods need of this machine, in a process of its own.
#include <holdfast/base/files.h>
#include <holdfast/node/shim.h>

#include "rootfs/mounts.h"
#include "users/ranges.h"
#include "users/user_namespace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::node {
namespace {

Result<Fd> translated(const std::filesystem::path& folder, const Fd& users) {
  const Fd there(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!there) return system_error("open " + folder.string(), errno);
  Fd copy = HF_TRY(copy_mount(there, Below::Left));
  Result<void> done = translate_ids(copy, users, Translated::All);
  if (!done) return done.take_error().with_context("the file system of " + folder.string());
  return copy;
}

/// As a container's root is made: a layer of the pod's over an image whose ids are translated.
Result<void> try_overlay(const Fd& users, const std::filesystem::path& scratch,
                         const std::filesystem::path& image) {
  for (const char* name : {"image", "upper", "work", "root"})
    HF_TRY(make_folder(scratch / name, 0755));
  const Fd point(::open((scratch / "image").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!point) return system_error("open " + scratch.string(), errno);
  const Fd copy = HF_TRY(translated(image, users));
  HF_TRY(attach(copy, point));
  const std::string options =
      fmt::format("lowerdir={0}/image,upperdir={0}/upper,workdir={0}/work", scratch.string());
  // Below the image itself no layer can be; that is not what is asked here.
  if (mount("overlay", (scratch / "root").c_str(), "overlay", 0, options.c_str()) != 0 &&
      errno != ELOOP)
    return system_error("mount an overlay on the file system of " + image.string(), errno);
  umount2((scratch / "root").c_str(), MNT_DETACH);
  umount2((scratch / "image").c_str(), MNT_DETACH);
  return {};
}

Result<void> try_all(const std::filesystem::path& scratch, const std::vector<std::string>& images) {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
    return system_error("make a mount namespace", errno);
  const Fd users = HF_TRY(make_user_namespace(kFirstId));
  HF_TRY(make_folder(scratch, 0700));
  HF_TRY(translated(scratch, users));
  for (const std::string& image : images) HF_TRY(try_overlay(users, scratch, image));
  return {};
}

}  // namespace

std::string try_user_namespaces(const std::filesystem::path& scratch,
                                const std::vector<std::string>& images) {
  const Result<void> tried = try_all(scratch, images);
  std::error_code ignored;
  std::filesystem::remove_all(scratch, ignored);
  return tried ? "" : tried.error().what();
}

}  // namespace holdfast::node
