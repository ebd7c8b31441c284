// The list of the drivers' models: one function per line of list.def.
#include <holdfast/drivers/models.h>

namespace holdfast::drivers {

#define HOLDFAST_DRIVER(name) \
  namespace name {            \
  sim::DriverModel model();   \
  }
#include <list.def>
#undef HOLDFAST_DRIVER

sim::Models models() {
  return {
#define HOLDFAST_DRIVER(name) name::model(),
#include <list.def>
#undef HOLDFAST_DRIVER
  };
}

}  // namespace holdfast::drivers
