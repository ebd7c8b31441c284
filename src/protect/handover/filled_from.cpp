// Member that a member is filled from, and the order of steps: what a simulation may sabotage of a
// hand-over.
#include <holdfast/control/sabotage.h>
#include <holdfast/protect/cut/handover.h>

namespace holdfast::protect::handover {

size_t filled_from(size_t member, size_t members) {
  return control::sabotage().no_member ? (member + 1) % members : member;
}

bool waits_for_binder() { return !control::sabotage().no_available; }

bool pods_go_first() { return !control::sabotage().no_pods_first; }

}  // namespace holdfast::protect::handover
