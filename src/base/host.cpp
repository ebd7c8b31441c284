// What the machine says of itself.
#include <holdfast/base/host.h>

#include <unistd.h>

namespace holdfast {

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

}  // namespace holdfast
