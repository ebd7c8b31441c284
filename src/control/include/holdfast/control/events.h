/// Events on objects, as kubectl describe shows them: repeats are counted in a series, not written
/// anew.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/control/elector.h>
#include <holdfast/control/write.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::control {

/// Passive: record() never waits and is bounded (the oldest unsent is dropped, and counted);
/// step() sends one. events.k8s.io/v1; the same note on the same object within six minutes
/// becomes a series of the first event. An event is news, never evidence: it is sent behind the
/// fence, and one that cannot be sent is given up after a few tries. Safe to use from many threads.
class EventRecorder {
 public:
  EventRecorder(kube::Client& client, const Clock& clock, std::string instance);
  ~EventRecorder();
  /// `controller` is the reportingController.
  void record(std::string_view controller, const kube::Resource& resource,
              const kube::Cached& about, const Note& note);
  std::optional<MonoTime> due() const;
  void step();
  size_t dropped() const;
  void send_behind(Fence fence);
  void set_waker(std::function<void()> waker);

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace holdfast::control
