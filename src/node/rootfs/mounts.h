/// Mounts made apart from any tree, and put into one when all is set that shall hold of them: none
/// is seen half made, and no path is looked up twice.
#pragma once

#include "shim/descriptors.h"

#include <sys/mount.h>

#include <initializer_list>
#include <string>
#include <utility>

namespace holdfast::node {

/// What no tenant's file may be: a program that gives privileges, a door to a device.
inline constexpr uint64_t kTame = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

enum class Below { Left, Taken };  ///< mounts on the folders of what is copied

/// A second mount of what `place` (O_PATH) shows, propagating nothing.
Result<Fd> copy_mount(const Fd& place, Below below);
/// An empty option is a flag.
Result<Fd> new_mount(const char* type,
                     std::initializer_list<std::pair<const char*, std::string>> options,
                     uint64_t attributes);
/// MOUNT_ATTR_… that hold from now on, of copied mounts below too.
Result<void> set_attributes(const Fd& mount, uint64_t attributes);
/// Onto a place of this process's own tree.
Result<void> attach(const Fd& mount, const Fd& point);
/// The same of what may have failed.
Result<void> attach(const Result<Fd>& mount, const Result<Fd>& point);

}  // namespace holdfast::node
