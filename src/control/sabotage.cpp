#include <holdfast/control/sabotage.h>

namespace holdfast::control {

#ifdef HOLDFAST_SABOTAGE
Sabotage& sabotage() {
  static Sabotage chosen;
  return chosen;
}
#endif

}  // namespace holdfast::control
