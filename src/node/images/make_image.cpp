// While an image is made its root is a folder beside the place that it will have,
// `.<tag>.XXXXXX`: no tag begins with a dot.
#include <holdfast/base/descriptor.h>
#include <holdfast/base/files.h>
#include <holdfast/base/program.h>
#include <holdfast/model/image.h>
#include <holdfast/node/make_image.h>

#include "images/bare_root.h"
#include "images/loaded_by.h"
#include "shim/descriptors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::node {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr auto kCopyLimit = 24h, kDownloadLimit = 6h;

/// A folder that goes with us.
class Making {
 public:
  static Result<Making> beside(const fs::path& place) {
    std::string pattern =
        (place.parent_path() / fmt::format(".{}.XXXXXX", place.filename().string())).string();
    if (mkdtemp(pattern.data()) == nullptr) return system_error("make " + pattern, errno);
    return Making(pattern);
  }
  Making(Making&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
  Making& operator=(Making&&) = delete;
  ~Making() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  const fs::path& folder() const { return folder_; }

 private:
  explicit Making(fs::path folder) : folder_(std::move(folder)) {}
  fs::path folder_;
};

/// What is made is for pods of any user.
class UsualModes {
 public:
  UsualModes() : before_(umask(022)) {}
  UsualModes(const UsualModes&) = delete;
  UsualModes& operator=(const UsualModes&) = delete;
  ~UsualModes() { umask(before_); }

 private:
  mode_t before_;
};

Result<fs::path> place_of(const ImageOrder& order) {
  const model::ImageName name = model::image_name(order.name);
  if (!model::is_image_name(name))
    return Error(Fault::Invalid, fmt::format("{} is no name of an image", order.name));
  if (model::is_host_image(order.name) || model::is_own_image(order.name))
    return Error(
        Fault::Invalid,
        fmt::format("make the image {}: every node has one of that name itself", order.name));
  fs::path place = fs::absolute(order.images) / model::folder_of(name);
  std::error_code none;
  if (!order.replace && fs::exists(fs::symlink_status(place, none)))
    return Error(Fault::Conflict,
                 fmt::format("make the image {}: {} is there already", order.name, place.string()))
        .with_hint("--replace puts the new one in its place; stop the pods that run from it first");
  return place;
}

/// By cp, which keeps what a root consists of: owners, modes, links (hard ones too), devices,
/// extended attributes.
Result<void> copy_root(const fs::path& from, const fs::path& to, const std::stop_token& stop) {
  std::error_code failed;
  const fs::path root = fs::canonical(from, failed);
  if (failed || !fs::is_directory(root))
    return Error(Fault::NotFound, fmt::format("copy {}: it is no folder", from.string()));
  const fs::path outside = fs::canonical(to).lexically_relative(root);
  if (*outside.begin() != "..")
    return Error(Fault::Invalid,
                 fmt::format("copy {}: the folder of images lies in it", root.string()));
  HF_TRY(run_program(
      {.command = "cp",
       .args = {"-x", "-d", "-R", "-T", "--preserve=mode,ownership,timestamps,links,xattr", "--",
                root.string(), to.string()},
       .limit = kCopyLimit},
      stop));
  return {};
}

Result<void> copy_file_at(const std::string& path, const fs::path& root) {
  const fs::path to = root / fs::path(path).relative_path();
  HF_TRY(make_folder(to.parent_path(), 0755));
  std::error_code failed;
  fs::copy_file(path, to, fs::copy_options::skip_existing, failed);
  if (failed) return system_error("copy " + path, failed.value());
  return {};
}

Result<void> copy_programs(const std::vector<fs::path>& programs, const fs::path& root) {
  HF_TRY(make_bare_root(root));
  for (const fs::path& each : programs) {
    const fs::path program = fs::absolute(each).lexically_normal();
    for (const std::string& library : HF_TRY(loaded_by(program)))
      HF_TRY(copy_file_at(library, root));
    HF_TRY(copy_file_at(program, root));
  }
  return {};
}

/// In a mount namespace of its own: what it mounts into the root does not stay.
Result<void> install_debian(const std::string& suite, const fs::path& root,
                            const std::stop_token& stop) {
  const Result<std::string> there =
      run_program({.command = "debootstrap", .args = {"--version"}}, stop);
  if (!there && there.error().fault() == Fault::NotFound)
    return Error(Fault::NotFound, "debootstrap is not on this machine")
        .with_hint("apt-get install debootstrap");
  HF_TRY(run_program({.command = "unshare",
                      .args = {"--mount", "--propagation", "private", "debootstrap",
                               "--variant=minbase", suite, root.string()},
                      .limit = kDownloadLimit},
                     stop));
  return {};
}

Result<void> fill(const ImageOrder& order, const fs::path& root, const std::stop_token& stop) {
  if (::chmod(root.c_str(), 0755) != 0)
    return system_error("set the mode of " + root.string(), errno);
  if (!order.from.empty()) return copy_root(order.from, root, stop);
  if (!order.programs.empty()) return copy_programs(order.programs, root);
  return install_debian(order.suite, root, stop);
}

/// On disk before it has its name. What it replaces is then in the folder that goes.
Result<void> put_in_place(const fs::path& made, const fs::path& place) {
  const Descriptor root(open(made.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root || syncfs(root.get()) != 0) return system_error("sync " + made.string(), errno);
  std::error_code none;
  const bool replaces = fs::exists(fs::symlink_status(place, none));
  if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, place.c_str(),
                replaces ? RENAME_EXCHANGE : RENAME_NOREPLACE) != 0)
    return system_error(fmt::format("rename {} to {}", made.string(), place.string()), errno);
  return {};
}

}  // namespace

Result<fs::path> make_image(const ImageOrder& order, const std::stop_token& stop) {
  fs::path place = HF_TRY(place_of(order));
  const UsualModes modes;
  HF_TRY(make_folder(place.parent_path(), 0755));
  const Making making = HF_TRY(Making::beside(place));
  Result<void> done = fill(order, making.folder(), stop);
  if (!done) return done.take_error().with_context("make the image " + order.name);
  HF_TRY(put_in_place(making.folder(), place));
  return place;
}

}  // namespace holdfast::node
