#include <holdfast/base/descriptor.h>

#include <unistd.h>

namespace holdfast {

void Descriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace holdfast
