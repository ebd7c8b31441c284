/// The probes of one run of one container, each in a thread of its own, with kubelet's thresholds.
#pragma once

#include <holdfast/base/mutex.h>

#include "probes/run_errand.h"

#include <atomic>
#include <functional>
#include <thread>

namespace holdfast::node {

struct ProbeNews {
  enum class Kind { Startup, Liveness, Readiness };
  std::string container{};
  int64_t attempt = 0;
  Kind kind = Kind::Readiness;
  bool changed = false;   ///< the verdict is another than before
  bool healthy = false;   ///< the verdict now
  std::string failure{};  ///< of this probe, if it failed
};

class Prober {
 public:
  /// `tell` is called from its threads.
  Prober(std::shared_ptr<const model::Value> pod, ContainerDef container, int64_t attempt,
         ErrandPlace place, std::function<void(ProbeNews)> tell);
  ~Prober();
  /// No more probes but readiness: the container is on its way out.
  void only_readiness() { ending_ = true; }

 private:
  void run(const std::stop_token& stop, ProbeNews::Kind kind, const Probe& probe);
  bool probe_once(const std::stop_token& stop, const Probe& probe, std::string& why) const;

  std::shared_ptr<const model::Value> pod_;  ///< keeps what the definition points into
  const ContainerDef container_;
  const int64_t attempt_;
  const ErrandPlace place_;
  const std::function<void(ProbeNews)> tell_;
  std::atomic<bool> started_{false}, ending_{false};
  std::vector<std::jthread> threads_;
};

}  // namespace holdfast::node
