#include "world/server.h"

#include <fmt/format.h>

#include <optional>

namespace holdfast::sim {

Caller administrator(std::string user) { return {std::move(user), {"system:masters"}}; }

Result<std::unique_ptr<Server>> Server::make(const Clock& clock, Random& random) {
  std::unique_ptr<apiserver::Core> core = HF_TRY(apiserver::Core::make({}, clock, random));
  return std::unique_ptr<Server>(new Server(std::move(core)));
}

net::Response Server::ask(const Caller& who, const net::Call& call) {
  net::Request request;
  request.method = call.method;
  request.target = call.target;
  request.headers = call.headers;
  request.body = call.body;
  request.peer = {"in-process", true, who.user, who.groups};
  net::split_target(request);
  std::optional<net::Response> answer;
  core_->serve(std::move(request), [&](net::Response response) { answer = std::move(response); });
  while (!answer) core_->commit();
  return std::move(*answer);
}

Result<model::Value> Server::ask(const Caller& who, std::string method, std::string target,
                                 const model::Value& body, std::string_view content_type) {
  net::Call call;
  call.method = std::move(method);
  call.target = std::move(target);
  if (!body.is_null()) {
    call.headers.set("Content-Type", content_type);
    call.body = model::to_json(body);
  }
  const net::Response answer = ask(who, call);
  Result<model::Parsed> parsed = model::parse_json(answer.body);
  if (answer.status < 400 && parsed) return std::move(parsed->value);
  Fault fault = Fault::Invalid;
  if (answer.status == 403) fault = Fault::Denied;
  if (answer.status == 404) fault = Fault::NotFound;
  if (answer.status == 409) fault = Fault::Conflict;
  return Error(fault, fmt::format("{} {}: {} {}", call.method, call.target, answer.status,
                                  parsed ? std::string(model::string_at(parsed->value, {"message"}))
                                         : answer.body));
}

}  // namespace holdfast::sim
