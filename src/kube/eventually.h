/// For tests: waits for an effect of another thread or process that sends no signal.
#pragma once

#include <holdfast/base/mutex.h>

#include <chrono>

namespace holdfast::kube {

/// Asks again and again, for ten seconds; the last answer.
template <class Condition>
bool eventually(const Condition& condition) {
  Mutex mutex;
  CondVar never;
  const Lock lock(mutex);
  for (int i = 0; i < 1000 && !condition(); ++i)
    never.wait_for(mutex, std::chrono::milliseconds(10));
  return condition();
}

}  // namespace holdfast::kube
