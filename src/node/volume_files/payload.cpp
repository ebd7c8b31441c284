#include "volume_files/payload.h"

#include <holdfast/base/files.h>

#include "shim/descriptors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

namespace holdfast::node {
namespace {

namespace fs = std::filesystem;

/// With those on its way that are not there.
Result<void> own_folder(const fs::path& path, uid_t owner) {
  std::error_code none;
  if (fs::is_directory(path, none)) return {};
  HF_TRY(own_folder(path.parent_path(), owner));
  HF_TRY(make_folder(path, 0755));
  if (::chown(path.c_str(), owner, owner) != 0)
    return system_error("give away " + path.string(), errno);
  return {};
}

Result<void> write_one(const fs::path& path, const PayloadFile& file, const PayloadOwners& owners) {
  HF_TRY(own_folder(path.parent_path(), owners.root));
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return system_error("write " + path.string(), errno);
  std::string_view rest = file.bytes;
  while (!rest.empty()) {
    const ssize_t wrote = ::write(fd.get(), rest.data(), rest.size());
    if (wrote < 0) return system_error("write " + path.string(), errno);
    rest.remove_prefix(size_t(wrote));
  }
  static_cast<void>(!fchown(fd.get(), owners.root, owners.group.value_or(owners.root)));
  // The group that owns them reads them, whatever the mode says: as kubelet does for fsGroup.
  if (fchmod(fd.get(), owners.group ? file.mode | 0440 : file.mode) != 0)
    return system_error("set the mode of " + path.string(), errno);
  return {};
}

bool same(const fs::path& data, const Payload& files) {
  size_t count = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(data, ignored), end; at != end; at.increment(ignored))
    if (at->is_regular_file(ignored)) ++count;
  if (count != files.size()) return false;
  for (const auto& [name, file] : files) {
    const Result<std::string> there = read_file(data / name);
    if (!there || *there != file.bytes) return false;
  }
  return true;
}

std::string stamp(WallTime now) {
  return fmt::format(
      "..{}",
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count());
}

Result<void> point(const fs::path& link, const std::string& target) {
  const fs::path beside = link.string() + ".new";
  std::error_code ignored;
  fs::remove(beside, ignored);
  if (symlink(target.c_str(), beside.c_str()) != 0 || rename(beside.c_str(), link.c_str()) != 0)
    return system_error("point " + link.string() + " to " + target, errno);
  return {};
}

}  // namespace

Result<void> write_payload(const fs::path& folder, const Payload& files,
                           const PayloadOwners& owners, WallTime now) {
  HF_TRY(make_folder(folder.parent_path(), 0755));
  HF_TRY(own_folder(folder, owners.root));
  const fs::path data = folder / "..data";
  std::error_code ignored;
  const fs::path old = fs::read_symlink(data, ignored);
  struct stat facts {};
  // A pod that is prepared again may have another range of ids by now.
  const bool ours = ::stat(folder.c_str(), &facts) == 0 && facts.st_uid == owners.root;
  if (!old.empty() && ours && same(data, files)) return {};
  if (!ours && ::chown(folder.c_str(), owners.root, owners.root) != 0)
    return system_error("give away " + folder.string(), errno);
  const std::string fresh = stamp(now);
  HF_TRY(own_folder(folder / fresh, owners.root));
  for (const auto& [name, file] : files) HF_TRY(write_one(folder / fresh / name, file, owners));
  HF_TRY(point(data, fresh));
  std::set<std::string> tops;
  for (const auto& [name, file] : files) tops.insert(name.substr(0, name.find('/')));
  for (const std::string& top : tops)
    if (!fs::is_symlink(folder / top, ignored)) HF_TRY(point(folder / top, "..data/" + top));
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    const std::string name = at->path().filename();
    if (!name.starts_with("..") && !tops.contains(name)) fs::remove(at->path(), ignored);
  }
  if (!old.empty()) fs::remove_all(folder / old, ignored);
  return {};
}

}  // namespace holdfast::node
