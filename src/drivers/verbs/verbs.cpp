#include <holdfast/drivers/verbs.h>

namespace holdfast::drivers {

#define HOLDFAST_DRIVER(name) \
  namespace name {            \
  cli::Verbs verbs();         \
  }
#include <list.def>
#undef HOLDFAST_DRIVER

std::vector<cli::Verbs> verbs() {
  return {
#define HOLDFAST_DRIVER(name) name::verbs(),
#include <list.def>
#undef HOLDFAST_DRIVER
  };
}

}  // namespace holdfast::drivers
