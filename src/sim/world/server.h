/// The world's one API server: the real core, in memory, answering there and then.
#pragma once

#include <holdfast/apiserver/core.h>
#include <holdfast/model/json.h>
#include <holdfast/net/client.h>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::sim {

/// Whom the server takes a request to come from.
struct Caller {
  std::string user{};
  std::vector<std::string> groups{};
};

/// The kubelet, the user and the judge: nobody refuses them anything.
Caller administrator(std::string user);

class Server {
 public:
  static Result<std::unique_ptr<Server>> make(const Clock& clock, Random& random);

  net::Response ask(const Caller& who, const net::Call& call);
  /// The answer's object. Any status of 400 and more is an Error that holds the server's sentence:
  /// Denied (403), NotFound (404), Conflict (409), Invalid.
  Result<model::Value> ask(const Caller& who, std::string method, std::string target,
                           const model::Value& body,
                           std::string_view content_type = "application/json");
  /// One piece of the server's own background work; false if there was none.
  bool step() {
    const bool worked = core_->step();
    return core_->commit() || worked;
  }

 private:
  explicit Server(std::unique_ptr<apiserver::Core> core) : core_(std::move(core)) {}
  std::unique_ptr<apiserver::Core> core_;
};

}  // namespace holdfast::sim
