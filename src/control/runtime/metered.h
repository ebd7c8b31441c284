/// Meter of requests on their way out.
#pragma once

#include <holdfast/control/metrics.h>
#include <holdfast/net/client.h>

namespace holdfast::control {

class Metered final : public net::Client {
 public:
  Metered(net::Client& inner, Metrics& metrics, std::string host)
      : inner_(inner), metrics_(metrics), host_(std::move(host)) {}

  Result<net::Response> call(const net::Call& call) override {
    return count(call, inner_.call(call));
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>& on_data) override {
    return count(call, inner_.stream(call, on_data));
  }
  Result<net::Connected> connect(const net::Call& call,
                                 const std::vector<std::string>& protocols) override {
    auto connected = inner_.connect(call, protocols);
    metrics_.request(call.method, connected ? connected->answer.status : 0, host_);
    return connected;
  }

 private:
  Result<net::Response> count(const net::Call& call, Result<net::Response> answer) {
    metrics_.request(call.method, answer ? answer->status : 0, host_);
    return answer;
  }

  net::Client& inner_;
  Metrics& metrics_;
  const std::string host_;
};

}  // namespace holdfast::control
