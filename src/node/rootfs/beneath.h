/// Paths in a tree that belongs to a tenant, who may write to it while we walk it: each is resolved
/// by the kernel below the descriptor of its root, and what is found is a descriptor too.
#pragma once

#include "shim/descriptors.h"

#include <string>

namespace holdfast::node {

/// What stands at `path` in the tree of `root` (O_PATH), as its processes would find it: links lead
/// to places inside the tree only, those of /proc nowhere. None: errno says why.
Fd open_inside(const Fd& root, const std::string& path);

/// Where a mount goes: what stands there, else a new folder or file, with the folders on its way.
/// Invalid if that is the tree's root, or in a file system that shows the kernel (/proc, /sys).
Result<Fd> mount_point(const Fd& root, const std::string& path, bool folder);

/// A folder of the root itself, made if it is not there; an image that has a link in its place is
/// refused.
Result<Fd> plain_folder(const Fd& root, const std::string& name);

/// A part of a volume: links that stay in the volume are followed, as a ConfigMap's files are; a
/// folder that is not there is made without following any.
Result<Fd> open_sub_path(const Fd& volume, const std::string& sub_path);

}  // namespace holdfast::node
