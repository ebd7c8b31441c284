/// Special parts of files: devices, and rights that a file gives to those who run it. Who restores
/// what a stranger has stored wants none of them.
#pragma once

#include <holdfast/repo/tree.h>

#include <string>

namespace holdfast::repo {

bool is_device(const Node& node);

/// "block device 254:0", "set-user-ID, security.capability"; "" if there are none. Bits of folders
/// are none: they say whose a new file is.
std::string special_parts(const Node& node);
/// The node without them; a device stays one.
void take_special_parts(Node& node);

}  // namespace holdfast::repo
