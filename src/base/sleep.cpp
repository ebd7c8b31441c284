#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/base/sleep.h>

namespace holdfast {

Sleep sleep_until_stopped() {
  return [](std::chrono::milliseconds pause, const std::stop_token& stop) {
    const SystemClock clock;
    const MonoTime end = clock.mono() + pause;
    Mutex mutex;
    CondVar changed;
    const std::stop_callback on_stop(stop, [&] {
      const Lock lock(mutex);
      changed.notify_all();
    });
    const Lock lock(mutex);
    while (!stop.stop_requested() && clock.mono() < end)
      changed.wait_for(mutex, end - clock.mono());
  };
}

}  // namespace holdfast
