/// Volume groups: volumes of one application, cut together while it is quiesced (longhorn.io).
#pragma once

#include <holdfast/protect/driver.h>

namespace holdfast::drivers::volumegroup {

protect::Driver driver();

}  // namespace holdfast::drivers::volumegroup
