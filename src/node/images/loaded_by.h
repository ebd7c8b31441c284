/// Libraries of a program, as the loader finds them on this machine.
#pragma once

#include <holdfast/base/result.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::node {

/// Paths in what `ld.so --list` prints.
Result<std::vector<std::string>> parse_list(std::string_view printed);
/// With the loader itself; none of a program that is linked statically.
Result<std::vector<std::string>> loaded_by(const std::filesystem::path& program);

}  // namespace holdfast::node
