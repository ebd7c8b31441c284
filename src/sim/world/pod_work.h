/// Pods whose real work runs: a function of the driver's model, against the world's bucket. Each is
/// an actor, so that others move between two of its requests, and dies with its pod.
#pragma once

#include <holdfast/sim/model.h>

#include "world/bucket.h"
#include "world/schedule.h"

#include <list>
#include <map>
#include <memory>
#include <string>

namespace holdfast::sim {

class PodWork {
 public:
  using Done = std::function<void(const PodExit&)>;
  PodWork(Schedule& schedule, Bucket& bucket);
  ~PodWork();

  /// `done` is called when the work has ended, unless the pod was killed before.
  void begin(const std::string& uid, ObjectPtr pod, DriverPart& part, Done done);
  bool begun(const std::string& uid) const { return by_uid_.contains(uid); }
  /// Its requests fail from now on.
  void kill(const std::string& uid);

 private:
  class Worker;
  Schedule& schedule_;
  Bucket& bucket_;
  std::list<std::unique_ptr<Worker>> workers_;
  std::map<std::string, Worker*> by_uid_;
};

}  // namespace holdfast::sim
