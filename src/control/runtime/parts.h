/// Parts of the process: which run, and what the others wait for, as log lines, as the metric
/// holdfast_driver_running, and as values (Runtime::parts).
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/control/runtime.h>

#include <memory>
#include <optional>
#include <vector>

namespace holdfast::control {

class PartsWatch {
 public:
  /// They must outlive it. The client is asked which versions of a group are served when a kind
  /// turns out not to be, and again at each thirtieth look.
  PartsWatch(const std::vector<std::unique_ptr<Controller>>& controllers, Metrics& metrics,
             kube::Client& client)
      : controllers_(controllers), metrics_(metrics), client_(client) {}

  void look(bool leads) HF_EXCLUDES(mutex_);
  std::vector<Part> parts() const HF_EXCLUDES(mutex_);

 private:
  /// What was told of a part, and the words of its controllers that it was made of: they come anew
  /// with each try, and only other ones are news.
  struct Told {
    std::string cause{};
    Part part{};
  };
  Told look_at(const std::string& name, bool leads, const Told* before) const;
  void log(const Told* before, const Told& now) const;
  std::optional<std::string> served_instead(const kube::Resource& wanted) const;

  const std::vector<std::unique_ptr<Controller>>& controllers_;
  Metrics& metrics_;
  kube::Client& client_;
  std::vector<Told> told_{};  ///< of the looking thread alone
  int looks_ = 0;
  mutable Mutex mutex_{};
  std::vector<Part> parts_ HF_GUARDED_BY(mutex_){};
};

/// From what its controllers do not hear; pure.
Part part_of(std::string name, bool leads, const std::vector<Unheard>& unheard);

}  // namespace holdfast::control
