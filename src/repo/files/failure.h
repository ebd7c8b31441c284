/// Errors of the kernel, with the path that they are about.
#pragma once

#include <holdfast/base/result.h>

#include <string>
#include <string_view>

namespace holdfast::repo {

/// Of errno. "open /data/x: Permission denied"
Error file_failure(std::string_view doing, const std::string& path);

}  // namespace holdfast::repo
