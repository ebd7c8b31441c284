/// Minimiser: fewer faults that still break the same promise (delta debugging).
#pragma once

#include "faults/faults.h"

#include <functional>

namespace holdfast::sim {

/// A part of `faults` from which no single one can be left out. `fails` is asked about each
/// candidate; the whole list must fail.
std::vector<Mishap> minimise(std::vector<Mishap> faults,
                             const std::function<bool(const std::vector<Mishap>&)>& fails);

}  // namespace holdfast::sim
