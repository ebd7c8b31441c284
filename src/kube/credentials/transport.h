/// The transport of `connect`, with what tests put in place of sockets and minutes.
#pragma once

#include <holdfast/kube/config.h>

#include <chrono>
#include <functional>

namespace holdfast::kube {

struct ConnectParts {
  std::function<Result<std::unique_ptr<net::Client>>(net::ClientOptions)> make = net::Client::make;
  std::chrono::milliseconds plugin_limit{60000};
};

Result<std::unique_ptr<net::Client>> connect(Config config, const Clock& clock, ConnectParts parts);

}  // namespace holdfast::kube
