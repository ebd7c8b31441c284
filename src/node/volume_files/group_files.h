/// Files of a volume given to the group that a pod asks for as fsGroup.
#pragma once

#include <holdfast/base/result.h>

#include <sys/types.h>

#include <string>

namespace holdfast::node {

/// The group owns all of it and may do what the owner may; what is made later inherits it. Other
/// pods may write to the volume meanwhile: each entry is opened below the folder that it was found
/// in, and no link is followed. Folders that lie very deep keep their group.
Result<void> give_to_group(const std::string& volume, gid_t group);

}  // namespace holdfast::node
