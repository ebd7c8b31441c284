/// Parts of the process: which run, and what the others wait for, as log lines, as the metric
/// holdfast_driver_running, and as values (Runtime::parts).
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/control/runtime.h>

#include <memory>
#include <vector>

namespace holdfast::control {

class PartsWatch {
 public:
  /// They must outlive it. The client is asked which versions of a group are served, once for each
  /// kind that turns out not to be.
  PartsWatch(const std::vector<std::unique_ptr<Controller>>& controllers, Metrics& metrics,
             kube::Client& client)
      : controllers_(controllers), metrics_(metrics), client_(client) {}

  void look(bool leads) HF_EXCLUDES(mutex_);
  std::vector<Part> parts() const HF_EXCLUDES(mutex_);

 private:
  void tell(const Part* before, Part& now) const;
  std::string served_instead(std::string_view group, std::string_view version) const;

  const std::vector<std::unique_ptr<Controller>>& controllers_;
  Metrics& metrics_;
  kube::Client& client_;
  mutable Mutex mutex_{};
  std::vector<Part> parts_ HF_GUARDED_BY(mutex_){};
};

/// From what its controllers do not hear; pure.
Part part_of(std::string name, bool leads, const std::vector<Unheard>& unheard);

}  // namespace holdfast::control
