/// The operator's controllers in the process of the server that they work for.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/net/client.h>
#include <holdfast/net/http.h>
#include <holdfast/protect/driver.h>

#include <memory>
#include <thread>

namespace holdfast::cli {

/// Installs the kinds and runs their controllers from here to the end of this object. The service
/// must live longer. Trouble is logged, and they are started again after a pause.
class Operator {
 public:
  Operator(net::Service& service, protect::DriverChoice choice);

 private:
  void run(const std::stop_token& stop);
  Result<void> run_once(const std::stop_token& stop);

  const protect::DriverChoice choice_;
  SystemClock clock_{};
  SystemRandom random_{};
  std::unique_ptr<net::Client> transport_;
  std::jthread thread_;  ///< the last member: it ends first
};

}  // namespace holdfast::cli
