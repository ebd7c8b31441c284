#include "nodes/node_relay.h"

#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>
#include <holdfast/model/json.h>
#include <holdfast/model/status.h>

#include "nodes/log_body.h"
#include "server/pages.h"

#include <fmt/format.h>

#include <thread>

namespace holdfast::apiserver {
namespace {

using namespace std::chrono_literals;
using model::Status;
using net::WebSocket;
using Socket = std::shared_ptr<WebSocket>;

constexpr std::chrono::milliseconds kDialLimit = 30s;
constexpr size_t kRefusalRead = 50000;  // of what a node says when it refuses
constexpr char kErrorChannel = 3;

Status plain_error(int code, std::string message) {
  return {.code = code, .reason = "", .message = std::move(message), .details = std::nullopt};
}

struct Wording {
  int code;
  std::string_view reason, message;
};

/// What the real server makes of a code alone.
constexpr Wording kWordings[] = {
    {401, "Unauthorized", "the server has asked for the client to provide credentials"},
    {404, "NotFound", "the server could not find the requested resource"},
    {405, "MethodNotAllowed", "the server does not allow this method on the requested resource"},
    {409, "Conflict", "the server reported a conflict"},
    {422, "Invalid", "the server rejected our request due to an error in our request"},
    {429, "TooManyRequests",
     "the server has received too many requests and has asked us to try again later"},
    {503, "ServiceUnavailable", "the server is currently unable to handle the request"},
    {504, "Timeout",
     "the server was unable to return a response in the time allotted, but may still be "
     "processing the request"}};

/// A node's refusal of a log, in the real server's words.
Status log_refusal(const net::Response& answer, const std::string& pod) {
  const std::string text = answer.body.substr(0, kRefusalRead);
  if (answer.status == 500) return model::internal_error(text);
  if (answer.status == 400) return model::bad_request(text);
  std::string message = fmt::format(
      "the server responded with the status code {} but did not return more information",
      answer.status);
  std::string reason;
  if (answer.status == 403) {
    reason = "Forbidden";
    message = text;
  } else if (answer.status > 500) {
    reason = "InternalError";
    message = fmt::format("an error on the server ({}) has prevented the request from succeeding",
                          quoted(text));
  }
  for (const Wording& wording : kWordings) {
    if (wording.code != answer.status) continue;
    reason = wording.reason;
    message = wording.message;
  }
  Status::Details details;
  details.name = pod;
  details.kind = "pods/log";
  return {.code = answer.status,
          .reason = std::move(reason),
          .message = fmt::format("{} ( pods/log {})", message, pod),
          .details = std::move(details)};
}

/// What the error channel says of a node that did not take an exec: its own Status, or its words.
std::string exec_refusal(const net::Response& answer) {
  const auto parsed = model::parse_json(answer.body);
  if (parsed && model::string_at(parsed->value, {"kind"}) == "Status") return answer.body;
  return model::to_json(model::to_value(model::internal_error(
      fmt::format("unable to upgrade connection: {}", trim(answer.body.substr(0, kRefusalRead))))));
}

std::string exec_failure(std::string_view why) {
  return model::to_json(model::to_value(model::internal_error(why)));
}

/// The client is switched to WebSocket even so: a plain refusal would make kubectl try SPDY, and
/// tell its user about that.
net::Response refuse_exec(const std::string& protocol, const std::string& status) {
  return net::go_on_as_websocket(protocol, [status](const Socket& client) {
    if (client->send(kErrorChannel + status)) client->close(WebSocket::kNormal, "");
  });
}

bool is_status(const WebSocket::Message& message) {
  return message.data.starts_with(kErrorChannel);
}

enum class PumpEnd {
  Closed,        ///< `from` was closed
  Lost,          ///< `from` was lost
  Undeliverable  ///< `to` takes nothing any more
};

/// One direction, until its end.
PumpEnd pump(WebSocket& from, WebSocket& to, bool* status_seen) {
  for (;;) {
    auto message = from.receive();
    if (!message) return PumpEnd::Lost;
    if (!*message) return PumpEnd::Closed;
    if ((*message)->text) {
      from.close(WebSocket::kUnsupported, "text messages are not part of this protocol");
      return PumpEnd::Closed;
    }
    if (status_seen != nullptr && is_status(**message)) *status_seen = true;
    if (!to.send((*message)->data)) return PumpEnd::Undeliverable;
  }
}

/// What a client is told of a node that ended, and never said how the command did. Without the
/// wall, what a kube-apiserver tells it: kubernetes/kubernetes#137404.
std::string untold_end(PumpEnd how) {
  if (!wall_stands("exec status")) return R"({"metadata":{},"status":"Success"})";
  return exec_failure(
      how == PumpEnd::Lost
          ? "the connection to the node was lost, and it did not say how the command ended"
          : "the node ended the stream, and did not say how the command ended");
}

/// Until it is closed, by whichever side.
void throw_away(WebSocket& from) {
  for (;;) {
    const auto message = from.receive();
    if (!message || !*message) return;
  }
}

}  // namespace

void relay_exec(const Socket& client, const Socket& node) {
  std::jthread output([&] {
    bool status_seen = false;
    const PumpEnd end = pump(*node, *client, &status_seen);
    // kubectl takes an orderly end without a status for success, and after any other it does not
    // look at the status.
    const bool told = status_seen || (end != PumpEnd::Undeliverable &&
                                      bool(client->send(kErrorChannel + untold_end(end))));
    client->close(told ? WebSocket::kNormal : WebSocket::kInternalError, "");
    node->close(WebSocket::kGoingAway, "");
  });
  // A node that takes no more input has ended. How is what the client waits for: only the other
  // direction may close it, because kubectl takes every code but its own for a failure.
  if (pump(*client, *node, nullptr) == PumpEnd::Undeliverable) return throw_away(*client);
  node->close(WebSocket::kGoingAway, "the client is gone");
  client->close(WebSocket::kGoingAway, "");
}

void NodeRelay::carry(NodeRequest request, net::Respond respond) {
  const auto shared = std::make_shared<net::Respond>(std::move(respond));
  const bool sent = crew_.send([this, request = std::move(request), shared](std::stop_token stop) {
    if (request.kind == NodeRequest::Kind::Log)
      carry_log(request, *shared, stop);
    else
      carry_exec(request, *shared, stop);
  });
  if (!sent)
    (*shared)(error_response(
        model::too_many_requests("too many streams from nodes are open, try again later", 1), {}));
}

Result<std::unique_ptr<net::Client>> NodeRelay::client_of(const NodeRequest& request) const {
  net::ClientOptions options;
  options.base_url = request.url;
  options.certificate = certificate_;
  options.key = key_;
  options.user_agent = "kube-apiserver-kubelet-client";
  options.pinned = request.certificate;
  options.insecure = request.certificate.empty();
  return net::Client::make(std::move(options));
}

void NodeRelay::carry_log(const NodeRequest& request, const net::Respond& respond,
                          const std::stop_token& stop) const {
  const auto client = client_of(request);
  if (!client) return respond(error_response(plain_error(500, client.error().what()), {}));
  const auto pipe = std::make_shared<LogPipe>();
  bool begun = false;
  net::Call call{.target = request.target, .timeout = kDialLimit};
  call.on_head = [&](const net::Response&) {
    begun = true;
    net::Response response;
    response.headers.set("Content-Type", "text/plain");
    response.headers.set("Cache-Control", "no-cache, private");
    response.stream = std::make_shared<LogBody>(pipe);
    respond(std::move(response));
  };
  std::stop_source ended;
  const auto end = [&ended] { ended.request_stop(); };
  const std::stop_callback by_us(stop, end), by_reader(pipe->gone(), end);
  call.stop = ended.get_token();
  auto answer = (*client)->stream(call, [&](std::string_view bytes) { return pipe->put(bytes); });
  pipe->finish();
  if (begun) return;
  if (!answer) return respond(error_response(plain_error(500, answer.error().what()), {}));
  respond(error_response(log_refusal(*answer, request.pod), {}));
}

void NodeRelay::carry_exec(const NodeRequest& request, const net::Respond& respond,
                           const std::stop_token& stop) const {
  const auto client = client_of(request);
  if (!client) return respond(error_response(plain_error(500, client.error().what()), {}));
  const net::Call call{.target = request.target, .timeout = kDialLimit, .stop = stop};
  auto connected = (*client)->connect(call, {request.protocol});
  if (!connected) {
    const std::string why = "error dialing backend: " + connected.error().what();
    return respond(refuse_exec(request.protocol, exec_failure(why)));
  }
  if (!connected->socket)
    return respond(refuse_exec(request.protocol, exec_refusal(connected->answer)));
  if (connected->socket->protocol() != request.protocol)
    return respond(
        refuse_exec(request.protocol, exec_failure("the node does not speak " + request.protocol)));
  respond(net::go_on_as_websocket(
      request.protocol,
      [node = connected->socket](const Socket& to_client) { relay_exec(to_client, node); }));
}

}  // namespace holdfast::apiserver
