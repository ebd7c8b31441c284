#include "files/file_node.h"

#include "files/failure.h"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <vector>

namespace holdfast::repo {
namespace {

/// Go's bits above the permissions.
constexpr uint32_t kDir = 1U << 31, kSymlink = 1U << 27, kDevice = 1U << 26, kFifo = 1U << 25,
                   kSocket = 1U << 24, kSetuid = 1U << 23, kSetgid = 1U << 22,
                   kCharDevice = 1U << 21, kSticky = 1U << 20;
constexpr size_t kNameBuffer = 16384;

NodeTime time_of(const timespec& time) { return local_time(time.tv_sec, int32_t(time.tv_nsec)); }

NodeType type_of(uint32_t mode) {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return NodeType::File;
    case S_IFDIR:
      return NodeType::Dir;
    case S_IFLNK:
      return NodeType::Symlink;
    case S_IFBLK:
      return NodeType::Device;
    case S_IFCHR:
      return NodeType::CharDevice;
    case S_IFIFO:
      return NodeType::Fifo;
    case S_IFSOCK:
      return NodeType::Socket;
    default:
      return NodeType::Irregular;
  }
}

Result<std::string> read_link(const std::string& path, size_t size) {
  std::string target(size + 1, '\0');
  for (;;) {
    const ssize_t read = ::readlink(path.c_str(), target.data(), target.size());
    if (read < 0) return file_failure("read link", path);
    if (size_t(read) < target.size()) {
      target.resize(size_t(read));
      return target;
    }
    target.resize(target.size() * 2);
  }
}

Result<void> read_attributes(const std::string& path, Node& node) {
  const ssize_t size = ::llistxattr(path.c_str(), nullptr, 0);
  // File systems without extended attributes have none.
  if (size <= 0) return ok();
  std::string names(size_t(size) + 256, '\0');
  const ssize_t listed = ::llistxattr(path.c_str(), names.data(), names.size());
  if (listed < 0) return file_failure("list extended attributes of", path);
  for (size_t at = 0; at < size_t(listed);) {
    const std::string name(names.c_str() + at);
    at += name.size() + 1;
    const ssize_t length = ::lgetxattr(path.c_str(), name.c_str(), nullptr, 0);
    if (length < 0 && errno == ENODATA) continue;
    if (length < 0) return file_failure(fmt::format("read extended attribute {} of", name), path);
    std::string value(size_t(length), '\0');
    const ssize_t read = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    if (read < 0) return file_failure(fmt::format("read extended attribute {} of", name), path);
    value.resize(size_t(read));
    node.extended_attributes.emplace_back(name, std::move(value));
  }
  return ok();
}

}  // namespace

NodeTime local_time(int64_t seconds, int32_t nanoseconds) {
  // restic prints times in the zone of the machine; asking for each anew is dear, and the offset
  // changes at full quarters of an hour only.
  constexpr int64_t kQuarter = 900;
  thread_local int64_t quarter = INT64_MIN;
  thread_local int32_t offset = 0;
  const int64_t now = seconds >= 0 ? seconds / kQuarter : (seconds - kQuarter + 1) / kQuarter;
  if (now != quarter) {
    const std::time_t when = seconds;
    std::tm parts{};
    offset = localtime_r(&when, &parts) != nullptr ? int32_t(parts.tm_gmtoff) : 0;
    quarter = now;
  }
  return {seconds, nanoseconds, offset};
}

const std::string& Names::user(uint32_t uid) {
  const auto [found, fresh] = users_.try_emplace(uid);
  if (fresh) {
    std::vector<char> buffer(kNameBuffer);
    passwd entry{}, *result = nullptr;
    if (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &result) == 0 && result != nullptr)
      found->second = entry.pw_name;
  }
  return found->second;
}

const std::string& Names::group(uint32_t gid) {
  const auto [found, fresh] = groups_.try_emplace(gid);
  if (fresh) {
    std::vector<char> buffer(kNameBuffer);
    ::group entry{}, *result = nullptr;
    if (getgrgid_r(gid, &entry, buffer.data(), buffer.size(), &result) == 0 && result != nullptr)
      found->second = entry.gr_name;
  }
  return found->second;
}

uint32_t go_mode(uint32_t mode) {
  uint32_t out = mode & 0777;
  if (S_ISDIR(mode)) out |= kDir;
  if (S_ISLNK(mode)) out |= kSymlink;
  if (S_ISBLK(mode)) out |= kDevice;
  if (S_ISCHR(mode)) out |= kDevice | kCharDevice;
  if (S_ISFIFO(mode)) out |= kFifo;
  if (S_ISSOCK(mode)) out |= kSocket;
  if ((mode & S_ISUID) != 0) out |= kSetuid;
  if ((mode & S_ISGID) != 0) out |= kSetgid;
  if ((mode & S_ISVTX) != 0) out |= kSticky;
  return out;
}

uint32_t unix_mode(uint32_t mode) {
  uint32_t out = mode & 0777;
  if ((mode & kSetuid) != 0) out |= S_ISUID;
  if ((mode & kSetgid) != 0) out |= S_ISGID;
  if ((mode & kSticky) != 0) out |= S_ISVTX;
  return out;
}

Result<Node> node_of(const std::string& path, std::string name, const struct stat& info,
                     bool with_atime, Names& names,
                     const std::function<void(const Error&)>& report) {
  Node node;
  node.name = std::move(name);
  node.type = type_of(info.st_mode);
  node.mode = go_mode(info.st_mode);
  node.mtime = time_of(info.st_mtim);
  node.ctime = time_of(info.st_ctim);
  // Reading changes it; what changes with every backup would be a new tree with every backup.
  node.atime = with_atime ? time_of(info.st_atim) : node.mtime;
  node.uid = info.st_uid;
  node.gid = info.st_gid;
  node.user = names.user(info.st_uid);
  node.group = names.group(info.st_gid);
  node.inode = info.st_ino;
  node.device_id = info.st_dev;
  // As restic: what it makes anew in any case needs no count.
  if (node.type != NodeType::Dir && node.type != NodeType::Fifo && node.type != NodeType::Socket)
    node.links = info.st_nlink;
  if (node.type == NodeType::File) {
    node.size = uint64_t(info.st_size);
    node.content.emplace();
  }
  if (node.type == NodeType::Device || node.type == NodeType::CharDevice)
    node.device = info.st_rdev;
  if (node.type == NodeType::Symlink)
    node.link_target = HF_TRY(read_link(path, size_t(info.st_size)));
  if (const Result<void> read = read_attributes(path, node); !read) report(read.error());
  return node;
}

}  // namespace holdfast::repo
