/// Sabotage: deliberate faults of the runtime and of what is built on it, which the simulation must
/// find. In every other build they are constants and cost nothing.
#pragma once

#include <cstdint>

namespace holdfast::control {

struct Sabotage {
  bool no_gate = false;        ///< keys do not wait for the caches to hold their own last write
  bool no_uid = false;         ///< writes carry neither uid nor resourceVersion of what was seen
  bool no_fence = false;       ///< writes start whatever became of the lease
  bool no_intent = false;      ///< operations run without a record of their intent
  bool no_owed = false;        ///< actions that are owed after a window are forgotten
  bool no_holders = false;     ///< pods that another run holds are given out all the same
  bool no_guard = false;       ///< nobody stands guard in containers
  bool no_try = false;         ///< locations are believed to answer, whether they do or not
  bool no_names = false;       ///< what a run makes gets another name each time
  bool no_member = false;      ///< a member is restored from the cut of the one beside it
  bool no_trailer = false;     ///< how a command in a pod ended is believed as the server says it
  bool no_available = false;   ///< claims are made before the binder knows of their volumes
  bool no_pods_first = false;  ///< claims go while the pods that mount them stay
  bool no_frozen = false;      ///< moves obey edits of what they were asked for
  bool no_readback = false;    ///< backups are believed without a look at what is in the repository
  bool no_owner = false;       ///< moves of administrators are made where the claims are
};

#ifdef HOLDFAST_SABOTAGE
/// The one of the process; set it before anything runs.
Sabotage& sabotage();
/// Another number each time, for what `no_names` makes. The simulation has one thread.
uint64_t draw_number();
#else
constexpr Sabotage sabotage() { return {}; }
constexpr uint64_t draw_number() { return 0; }
#endif

}  // namespace holdfast::control
