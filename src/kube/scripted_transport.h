/// For tests: a transport that answers from a script and remembers what it was asked.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/net/client.h>

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace holdfast::kube {

class ScriptedTransport final : public net::Client {
 public:
  using Answer = std::function<Result<net::Response>(const net::Call&)>;

  void then(Answer answer) { script_.push_back(std::move(answer)); }
  void then(int status, std::string body, std::string_view retry_after = "") {
    net::Response response{.status = status, .body = std::move(body)};
    if (!retry_after.empty()) response.headers.set("Retry-After", retry_after);
    then([response](const net::Call&) { return response; });
  }
  void then_error(Fault fault, std::string what) {
    then([fault, what](const net::Call&) -> Result<net::Response> { return Error(fault, what); });
  }

  Result<net::Response> call(const net::Call& call) override {
    const Lock lock(mutex_);
    calls_.push_back(call);
    if (script_.empty()) return Error(Fault::Internal, "the script is over");
    const Answer answer = std::move(script_.front());
    script_.pop_front();
    return answer(call);
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>& on_data) override {
    Result<net::Response> response = this->call(call);
    if (response && response->status < 300) on_data(std::exchange(response->body, {}));
    return response;
  }
  /// Once all threads that call have ended.
  const std::vector<net::Call>& calls() const { return calls_; }

 private:
  Mutex mutex_;
  std::deque<Answer> script_;
  std::vector<net::Call> calls_;
};

}  // namespace holdfast::kube
