#include <holdfast/base/clock.h>

#include <ctime>

namespace holdfast {

using std::chrono::duration_cast;
using std::chrono::microseconds;

WallTime SystemClock::now() const {
  return std::chrono::time_point_cast<microseconds>(std::chrono::system_clock::now());
}

MonoTime SystemClock::mono() const {
  // Goes on while the machine sleeps, unlike steady_clock: a lease that ran out meanwhile is over.
  timespec time{};
  clock_gettime(CLOCK_BOOTTIME, &time);
  return duration_cast<MonoTime>(std::chrono::seconds(time.tv_sec) +
                                 std::chrono::nanoseconds(time.tv_nsec));
}

}  // namespace holdfast
