#include "provider/failure.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace holdfast::volumes {

namespace {

Fault fault_of(int code) {
  switch (code) {
    case EACCES:
    case EPERM:
    case EROFS:
      return Fault::Denied;
    case EAGAIN:
    case EINTR:
    case EBUSY:
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOENT:
      return Fault::Unavailable;
    default:
      return Fault::Invalid;
  }
}

}  // namespace

Error failed(std::string_view doing, const std::filesystem::path& path, int code) {
  // Whoever reads this in an event sees no hint beside it.
  const std::string_view way_out =
      code == ENOSPC || code == EDQUOT ? " (free room there, or raise --pool-size)" : "";
  return {fault_of(code), fmt::format("{} {}: {}{}", doing, path.string(),
                                      std::generic_category().message(code), way_out)};
}

Error failed(std::string_view doing, const std::filesystem::path& path) {
  return failed(doing, path, errno);
}

}  // namespace holdfast::volumes
