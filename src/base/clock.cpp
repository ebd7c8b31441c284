#include <holdfast/base/clock.h>

namespace holdfast {

using std::chrono::duration_cast;
using std::chrono::microseconds;

WallTime SystemClock::now() const {
  return std::chrono::time_point_cast<microseconds>(std::chrono::system_clock::now());
}

MonoTime SystemClock::mono() const {
  return duration_cast<MonoTime>(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace holdfast
