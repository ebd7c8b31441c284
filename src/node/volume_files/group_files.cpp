#include "volume_files/group_files.h"

#include <holdfast/base/walls.h>

#include "shim/descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

namespace holdfast::node {
namespace {

// One open file per level: deeper trees are no database's, and would take the server's descriptors.
constexpr int kDeepest = 200;

void give_one(const Fd& file, const struct stat& facts, gid_t group) {
  static_cast<void>(!fchownat(file.get(), "", uid_t(-1), group, AT_EMPTY_PATH));
  // The only way to a mode by a descriptor that is not open for anything: kernel 6.6 has another.
  const mode_t more = S_ISDIR(facts.st_mode) ? 02770 : 0660;
  chmod(fmt::format("/proc/self/fd/{}", file.get()).c_str(), facts.st_mode | more);
}

void give_below(const Fd& folder, gid_t group, int depth) {
  const int listed = openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (listed < 0) return;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(listed), closedir);
  const int links = wall_stands("fsGroup follows no link") ? O_NOFOLLOW : 0;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): our own DIR
  while (const dirent* each = readdir(listing.get())) {
    const std::string_view name = each->d_name;
    if (name == "." || name == "..") continue;
    const Fd file(openat(folder.get(), each->d_name, O_PATH | O_CLOEXEC | links));
    struct stat facts {};
    if (!file || fstat(file.get(), &facts) != 0 || S_ISLNK(facts.st_mode)) continue;
    give_one(file, facts, group);
    if (S_ISDIR(facts.st_mode) && depth < kDeepest) give_below(file, group, depth + 1);
  }
}

}  // namespace

Result<void> give_to_group(const std::string& volume, gid_t group) {
  const Fd folder(::open(volume.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat facts {};
  if (!folder || fstat(folder.get(), &facts) != 0) return system_error("open " + volume, errno);
  give_one(folder, facts, group);
  give_below(folder, group, 0);
  return {};
}

}  // namespace holdfast::node
