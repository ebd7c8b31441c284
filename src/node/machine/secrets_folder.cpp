#include "machine/secrets_folder.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/log.h>
#include <holdfast/base/walls.h>

#include "shim/descriptors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>

namespace holdfast::node {
namespace {

/// Opened, not looked up again: nobody else may change what it holds, or put another in its place.
Fd own_folder(const Fd& parent, const std::string& name) {
  mkdirat(parent.get(), name.c_str(), 0700);
  const bool checked = wall_stands("folders of secrets are ours");
  Fd folder(openat(parent.get(), name.c_str(),
                   O_RDONLY | O_DIRECTORY | O_CLOEXEC | (checked ? O_NOFOLLOW : 0)));
  struct stat facts {};
  if (!folder || fstat(folder.get(), &facts) != 0) return {};
  if (checked && (facts.st_uid != geteuid() || (facts.st_mode & 077) != 0)) return {};
  return folder;
}

}  // namespace

std::filesystem::path secrets_folder(const std::filesystem::path& data_dir,
                                     const std::vector<std::string>& places) {
  const std::string own = hex(sha256(data_dir.string())).substr(0, 12);
  for (const std::string& place : places) {
    const Fd memory(::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct statfs facts {};
    if (geteuid() != 0 || !memory || fstatfs(memory.get(), &facts) != 0 ||
        facts.f_type != TMPFS_MAGIC)
      continue;
    const Fd ours = own_folder(memory, "holdfast");
    if (ours && own_folder(ours, own)) return std::filesystem::path(place) / "holdfast" / own;
    log::warn(
        fmt::format("{}/holdfast is not this user's alone: secrets of pods lie elsewhere", place));
  }
  return data_dir / "secrets";
}

}  // namespace holdfast::node
