/// Meter of requests on their way out: counted, and watched for whether they are answered.
#pragma once

#include <holdfast/control/metrics.h>
#include <holdfast/net/client.h>

#include "runtime/contact.h"

#include <functional>

namespace holdfast::control {

class Metered final : public net::Client {
 public:
  /// `on_answer` is called, from any thread, after each request that was answered.
  Metered(net::Client& inner, Metrics& metrics, std::string host, const Clock& clock,
          Contact& contact, std::function<void()> on_answer)
      : inner_(inner),
        metrics_(metrics),
        host_(std::move(host)),
        clock_(clock),
        contact_(contact),
        on_answer_(std::move(on_answer)) {}

  Result<net::Response> call(const net::Call& call) override {
    return count(call, inner_.call(call));
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>& on_data) override {
    bool begun = false;
    return count(call, inner_.stream(call, [&](std::string_view bytes) {
      if (!begun) contact_.answered();
      begun = true;
      return on_data(bytes);
    }));
  }
  Result<net::Connected> connect(const net::Call& call,
                                 const std::vector<std::string>& protocols) override {
    auto connected = inner_.connect(call, protocols);
    tell(call, connected ? connected->answer.status : 0, connected);
    return connected;
  }

 private:
  Result<net::Response> count(const net::Call& call, Result<net::Response> answer) {
    tell(call, answer ? answer->status : 0, answer);
    return answer;
  }
  template <class Answer>
  void tell(const net::Call& call, int status, const Result<Answer>& answer) {
    metrics_.request(call.method, status, host_);
    if (call.stop.stop_requested()) return;
    if (!answer) return contact_.unanswered(clock_.mono(), answer.error().what());
    contact_.answered();
    if (status < 500) on_answer_();
  }

  net::Client& inner_;
  Metrics& metrics_;
  const std::string host_;
  const Clock& clock_;
  Contact& contact_;
  const std::function<void()> on_answer_;
};

}  // namespace holdfast::control
