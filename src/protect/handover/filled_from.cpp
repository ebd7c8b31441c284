// Member that a member is filled from: the one place of a hand-over that a simulation may sabotage.
#include <holdfast/control/sabotage.h>
#include <holdfast/protect/cut/handover.h>

namespace holdfast::protect::handover {

size_t filled_from(size_t member, size_t members) {
  return control::sabotage().no_member ? (member + 1) % members : member;
}

}  // namespace holdfast::protect::handover
