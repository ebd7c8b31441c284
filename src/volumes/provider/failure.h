/// Errors of the system, with advice where there is any.
#pragma once

#include <holdfast/base/descriptor.h>
#include <holdfast/base/result.h>

#include <filesystem>
#include <string_view>

namespace holdfast::volumes {

/// "make folder /v/x: No space left on device"; by default of errno.
Error failed(std::string_view doing, const std::filesystem::path& path);
Error failed(std::string_view doing, const std::filesystem::path& path, int code);

}  // namespace holdfast::volumes
