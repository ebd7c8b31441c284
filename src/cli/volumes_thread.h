/// The controllers of local volumes in the process of the server that they work for.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/control/runtime.h>
#include <holdfast/net/client.h>
#include <holdfast/net/http.h>
#include <holdfast/volumes/volumes.h>

#include <memory>
#include <thread>

namespace holdfast::cli {

/// Volumes of one machine until asked to stop, or until they fail; `with_binders` where no
/// kube-controller-manager runs.
Result<void> run_volumes(net::Client& transport, const volumes::Settings& settings,
                         bool with_binders, const Clock& clock, Random& random,
                         const std::stop_token& stop);

/// Runs them, and the binders that nobody else runs there, from here to the end of this object. The
/// service must live longer. Trouble is logged and told on the StorageClass, and they are started
/// again after a pause: a server without them still serves.
class Volumes {
 public:
  Volumes(net::Service& service, volumes::Settings settings);

 private:
  void run(const std::stop_token& stop);

  volumes::Settings settings_;
  SystemClock clock_{};
  SystemRandom random_{};
  std::unique_ptr<net::Client> transport_;
  std::jthread thread_;  ///< the last member: it ends first
};

}  // namespace holdfast::cli
