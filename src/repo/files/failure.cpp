#include "files/failure.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace holdfast::repo {

Error file_failure(std::string_view doing, const std::string& path) {
  const int code = errno;
  Fault fault = Fault::Unavailable;
  if (code == ENOENT || code == ENOTDIR) fault = Fault::NotFound;
  if (code == EACCES || code == EPERM || code == EROFS || code == ELOOP) fault = Fault::Denied;
  if (code == ENOSPC || code == EDQUOT || code == EFBIG || code == ENAMETOOLONG)
    fault = Fault::Invalid;
  return Error(fault, fmt::format("{} {}: {}", doing, path, std::generic_category().message(code)));
}

}  // namespace holdfast::repo
