/// The node of this machine, and the scheduler that gives it pods, in the process of the server
/// that they work for.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/net/client.h>
#include <holdfast/net/http.h>
#include <holdfast/node/node.h>

#include <memory>
#include <thread>

namespace holdfast::cli {

/// From here to the end of this object, which ends the pods too (unless they are to be kept). The
/// service must live longer. Trouble is logged, and the scheduler is started again after a pause.
class LocalNode {
 public:
  static Result<std::unique_ptr<LocalNode>> start(net::Service& service, node::NodeOptions options);
  ~LocalNode();

 private:
  explicit LocalNode(net::Service& service);
  void schedule(const std::stop_token& stop);

  SystemClock clock_{};
  SystemRandom random_{};
  std::unique_ptr<net::Client> transport_;
  std::unique_ptr<node::Node> node_;
  std::jthread scheduler_;  ///< the last member: it ends first
};

}  // namespace holdfast::cli
