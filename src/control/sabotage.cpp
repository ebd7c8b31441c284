#include <holdfast/control/sabotage.h>

namespace holdfast::control {

#ifdef HOLDFAST_SABOTAGE
Sabotage& sabotage() {
  static Sabotage chosen;
  return chosen;
}

uint64_t draw_number() {
  static uint64_t drawn = 0;
  return ++drawn;
}
#endif

}  // namespace holdfast::control
