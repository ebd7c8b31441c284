#include "rootfs/mounts.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>

namespace holdfast::node {

Result<Fd> copy_mount(const Fd& place, Below below) {
  const unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH |
                         (below == Below::Taken ? AT_RECURSIVE : 0);
  Fd copy(open_tree(place.get(), "", flags));
  if (!copy) return system_error("copy a mount", errno);
  mount_attr private_{};
  private_.propagation = MS_PRIVATE;
  if (mount_setattr(copy.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &private_, sizeof private_) != 0)
    return system_error("keep a mount to itself", errno);
  return copy;
}

Result<Fd> new_mount(const char* type,
                     std::initializer_list<std::pair<const char*, std::string>> options,
                     uint64_t attributes) {
  const std::string doing = fmt::format("make a {}", type);
  const Fd made(fsopen(type, FSOPEN_CLOEXEC));
  if (!made) return system_error(doing, errno);
  for (const auto& [name, value] : options) {
    const unsigned command = value.empty() ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
    if (fsconfig(made.get(), command, name, value.empty() ? nullptr : value.c_str(), 0) != 0)
      return system_error(fmt::format("{} with {}={}", doing, name, value), errno);
  }
  if (fsconfig(made.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
    return system_error(doing, errno);
  Fd mount(fsmount(made.get(), FSMOUNT_CLOEXEC, unsigned(attributes)));
  if (!mount) return system_error(doing, errno);
  return mount;
}

Result<void> set_attributes(const Fd& mount, uint64_t attributes) {
  mount_attr wanted{};
  wanted.attr_set = attributes;
  if (mount_setattr(mount.get(), "", AT_EMPTY_PATH | AT_RECURSIVE, &wanted, sizeof wanted) != 0)
    return system_error("set the attributes of a mount", errno);
  return {};
}

Result<void> attach(const Fd& mount, const Fd& point) {
  if (move_mount(mount.get(), "", point.get(), "",
                 MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
    return system_error("mount", errno);
  return {};
}

Result<void> attach(const Result<Fd>& mount, const Result<Fd>& point) {
  if (!mount) return mount.error().copy();
  if (!point) return point.error().copy();
  return attach(*mount, *point);
}

}  // namespace holdfast::node
