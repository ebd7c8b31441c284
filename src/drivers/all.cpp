// The list of drivers as C++ sees it: one function per line of list.def.
#include <holdfast/drivers/drivers.h>

namespace holdfast::drivers {

#define HOLDFAST_DRIVER(name) \
  namespace name {            \
  protect::Driver driver();   \
  }
#include <list.def>
#undef HOLDFAST_DRIVER

std::vector<protect::Driver> all() {
  return {
#define HOLDFAST_DRIVER(name) name::driver(),
#include <list.def>
#undef HOLDFAST_DRIVER
  };
}

}  // namespace holdfast::drivers
