/// Names of blobs, and the error messages that stores share.
#pragma once

#include <holdfast/blob/store.h>

namespace holdfast::blob {

/// Parts between slashes, none empty, none "." or "..", no control characters.
Result<void> check_name(const std::string& name);
Error missing(std::string_view verb, const std::string& name);
Error too_short(const std::string& name, const Range& range, uint64_t size);

}  // namespace holdfast::blob
