/// Validation of a DataMove's spec. Pure.
#pragma once

#include <holdfast/protect/data_move.h>

#include <string>

namespace holdfast::protect {

/// What is wrong with the wish itself, with the name of the field; "" if nothing is.
std::string objection(const DataMove::Spec& spec);

}  // namespace holdfast::protect
