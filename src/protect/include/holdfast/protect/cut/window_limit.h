/// Setting of a driver that cuts in a window: how long after its start a cut may be asked for.
#pragma once

#include <holdfast/protect/driver.h>

#include <chrono>

namespace holdfast::protect {

DriverSetting window_limit_setting();
/// As it was chosen; else what holds if nobody chooses.
std::chrono::milliseconds window_limit(const DriverSettings& settings);

}  // namespace holdfast::protect
