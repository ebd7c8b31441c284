#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/net/in_process.h>

#include "websocket/handshake.h"
#include "websocket/pair.h"
#include "websocket/talks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace holdfast::net {
namespace {

constexpr std::chrono::seconds kLongestWait{60};
constexpr size_t kMostTalks = 256;

/// Shared by the caller, the service's respond and the stream's waker: any of them may be the last
/// to let go.
class Mailbox {
 public:
  void deliver(Response response) {
    const Lock lock(mutex_);
    response_ = std::move(response);
    changed_.notify_all();
  }
  void wake() {
    const Lock lock(mutex_);
    woken_ = true;
    changed_.notify_all();
  }
  /// Nothing if the time is over or the caller wants no more.
  std::optional<Response> wait_for_response(const std::stop_token& stop, MonoTime end) {
    const Lock lock(mutex_);
    while (!response_ && wait(stop, end)) {
    }
    return std::exchange(response_, std::nullopt);
  }
  /// False if the time is over or the caller wants no more.
  bool wait_for_wake(const std::stop_token& stop, MonoTime end) {
    const Lock lock(mutex_);
    bool waits = true;
    while (!woken_ && waits) waits = wait(stop, end);
    woken_ = false;
    return waits;
  }

 private:
  bool wait(const std::stop_token& stop, MonoTime end) HF_REQUIRES(mutex_) {
    const MonoTime left = end - clock_.mono();
    if (stop.stop_requested() || left <= MonoTime(0)) return false;
    changed_.wait_for(mutex_, std::min<MonoTime>(left, kLongestWait));
    return true;
  }

  const SystemClock clock_{};
  Mutex mutex_;
  CondVar changed_;
  std::optional<Response> response_ HF_GUARDED_BY(mutex_);
  bool woken_ HF_GUARDED_BY(mutex_) = false;
};

using OnData = std::function<bool(std::string_view)>;

class InProcessClient final : public Client {
 public:
  InProcessClient(Service& service, Peer peer) : service_(service), peer_(std::move(peer)) {}

  Result<Response> call(const Call& call) override { return named(call, perform(call, nullptr)); }
  Result<Response> stream(const Call& call, const OnData& on_data) override {
    return named(call, perform(call, &on_data));
  }
  Result<Connected> connect(const Call& call, const std::vector<std::string>& protocols) override;

 private:
  static Result<Response> named(const Call& call, Result<Response> response) {
    if (response) return response;
    return response.take_error().with_context(
        fmt::format("{} {} in this process", call.method, call.target));
  }

  Request request_of(const Call& call) const {
    Request request;
    request.method = call.method;
    request.target = call.target;
    request.headers = call.headers;
    request.headers.remove("Accept-Encoding");  // bytes that never leave are not worth packing
    request.body = call.payload();
    request.peer = peer_;
    split_target(request);
    return request;
  }

  Result<Response> perform(const Call& call, const OnData* on_data) {
    const MonoTime end = clock_.mono() + call.timeout;
    const auto mailbox = std::make_shared<Mailbox>();
    const std::stop_callback on_stop(call.stop, [mailbox] { mailbox->wake(); });
    service_.serve(request_of(call),
                   [mailbox](Response response) { mailbox->deliver(std::move(response)); });
    std::optional<Response> response = mailbox->wait_for_response(call.stop, end);
    if (!response) return ended_early(call);
    const bool handed_over = on_data != nullptr && response->status / 100 == 2;
    if (handed_over && call.on_head) call.on_head(*response);
    if (response->stream) {
      const std::shared_ptr<BodyStream> body = std::exchange(response->stream, nullptr);
      body->set_waker([mailbox] { mailbox->wake(); });
      HF_TRY(pull(*body, *mailbox, call, handed_over ? MonoTime::max() : end,
                  handed_over ? *on_data : collect_into(response->body, call.max_response)));
    } else if (handed_over) {
      (*on_data)(std::exchange(response->body, {}));
    }
    if (response->body.size() > call.max_response) return answer_too_long(call.max_response);
    return std::move(*response);
  }

  /// One byte past the bound is enough to refuse the answer.
  static OnData collect_into(std::string& body, size_t bound) {
    return [&body, bound](std::string_view bytes) {
      body.append(bytes);
      return body.size() <= bound;
    };
  }

  static Result<void> pull(BodyStream& body, Mailbox& mailbox, const Call& call, MonoTime end,
                           const OnData& on_data) {
    std::string chunk;
    for (;;) {
      chunk.clear();
      const BodyStream::State state = body.read(chunk);
      if (!chunk.empty() && !on_data(chunk)) return ok();
      if (state == BodyStream::State::End) return ok();
      const bool idle = state == BodyStream::State::Idle;
      if (call.stop.stop_requested() || (idle && !mailbox.wait_for_wake(call.stop, end)))
        return ended_early(call);
    }
  }

  static Error ended_early(const Call& call) {
    if (call.stop.stop_requested()) return {Fault::Unavailable, "stopped by the caller"};
    return {Fault::Unavailable, fmt::format("no answer within {} ms", call.timeout.count())};
  }

  Service& service_;
  const Peer peer_;
  const SystemClock clock_{};
  Talks talks_{kMostTalks};
};

Result<Connected> InProcessClient::connect(const Call& call,
                                           const std::vector<std::string>& protocols) {
  Call asking = call;
  const std::string key = websocket_key();
  ask_for_websocket(asking.headers, protocols, key);
  Connected connected;
  connected.answer = HF_TRY(named(asking, perform(asking, nullptr)));
  Talk talk = std::exchange(connected.answer.talk, nullptr);
  if (connected.answer.status != 101 || !talk) return connected;
  connected.answer.headers.set("Connection", "Upgrade");
  connected.answer.headers.set("Upgrade", "websocket");
  connected.answer.headers.set("Sec-WebSocket-Accept", websocket_accept(key));
  const std::string_view wrong = wrong_with(connected.answer, key, protocols);
  if (!wrong.empty())
    return Error(Fault::Unavailable, fmt::format("WebSocket {}: {}", call.target, wrong));
  auto seat = talks_.seat("");
  if (!seat)
    return Connected{.answer = {.status = 503, .body = "too many WebSocket connections\n"}};
  auto [here, there] = make_websocket_pair(
      std::string(connected.answer.headers.get("Sec-WebSocket-Protocol")), WebSocketLimits{});
  connected.socket = std::move(here);
  WebSocket* const end = there.get();
  Talks::Ends ends{.finish = [end] { end->close(WebSocket::kNormal, ""); }};
  talks_.begin(std::move(seat), std::move(talk), std::move(there), std::move(ends));
  return connected;
}

}  // namespace

std::unique_ptr<Client> make_in_process(Service& service, Peer peer) {
  return std::make_unique<InProcessClient>(service, std::move(peer));
}

}  // namespace holdfast::net
