/// Using DataMoves from another controller.
#pragma once

#include <holdfast/kube/informer.h>

namespace holdfast::protect {

/// Whether more than its progress changed of a DataMove. Movers write progress every second, and
/// no decision hangs on it: a watch with this predicate is not woken by it.
bool beyond_progress(const kube::Change& change);

}  // namespace holdfast::protect
