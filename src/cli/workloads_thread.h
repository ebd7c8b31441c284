/// The workload controllers in the process of the server that they work for.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/control/runtime.h>
#include <holdfast/net/client.h>
#include <holdfast/net/http.h>

#include <memory>
#include <string_view>
#include <thread>

namespace holdfast::cli {

/// Runs those that `controllers` switches on, from here to the end of this object. The service must
/// live longer. Trouble is logged, and they are started again after a pause: a server without them
/// still serves.
class Workloads {
 public:
  Workloads(net::Service& service, std::string_view controllers);

 private:
  void run(const std::stop_token& stop);

  std::string chosen_;
  SystemClock clock_{};
  SystemRandom random_{};
  std::unique_ptr<net::Client> transport_;
  std::jthread thread_;  ///< the last member: it ends first
};

}  // namespace holdfast::cli
