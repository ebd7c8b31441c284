// Sending of one request: the tries, the pauses between them, and what counts as one.
#include <holdfast/base/sleep.h>
#include <holdfast/kube/client.h>

#include "client/failure.h"

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{200}, kLongestPause{5000};
// A server that wants longer is left to the caller, who may have other things to do meanwhile.
constexpr std::chrono::seconds kLongestRetryAfter{60};

milliseconds jittered(milliseconds pause, Random& random) {
  const auto span = uint64_t(pause.count());
  return milliseconds(span / 2 + random.below(span));
}

bool worth_another_try(const net::Call& call, const Failure& failure) {
  if (failure.code == 429 || failure.code == 503) return failure.retry_after <= kLongestRetryAfter;
  return failure.code == 0 && !is_write(call) && failure.error.fault() == Fault::Unavailable;
}

}  // namespace

Client::Client(net::Client& transport, const Clock& clock, Random& random, Sleep sleep,
               ClientSettings settings)
    : transport_(&transport),
      clock_(&clock),
      random_(&random),
      sleep_(std::move(sleep)),
      settings_(std::move(settings)) {
  HF_CHECK(sleep_ != nullptr);
}

Client Client::as(std::string user, std::vector<std::string> groups) const {
  Client other = *this;
  other.settings_.as_user = std::move(user);
  other.settings_.as_groups = std::move(groups);
  return other;
}

net::Headers Client::headers(std::string_view content_type) const {
  net::Headers headers;
  headers.set("Accept", "application/json");
  headers.set("User-Agent", settings_.user_agent);
  if (!content_type.empty()) headers.set("Content-Type", content_type);
  if (settings_.as_user.empty()) return headers;
  headers.set("Impersonate-User", settings_.as_user);
  for (const std::string& group : settings_.as_groups) headers.add("Impersonate-Group", group);
  return headers;
}

Reply<model::Value> Client::send(net::Call call) {
  call.timeout = settings_.timeout;
  call.stop = stop_;
  milliseconds pause = kFirstPause;
  for (int left = settings_.tries;; --left) {
    if (stop_.stop_requested())
      return not_sent(Fault::Unavailable, text_of(call) + ": stopped by the caller");
    Reply<model::Value> reply = send_once(call);
    if (reply || left <= 1 || stop_.stop_requested() || !worth_another_try(call, reply.error()))
      return reply;
    // The jitter also keeps clients apart that were all told to come back in a second.
    sleep_(reply.error().retry_after + jittered(pause, *random_), stop_);
    pause = std::min(pause * 2, kLongestPause);
  }
}

Reply<model::Value> Client::send_once(const net::Call& call) {
  Result<net::Response> response = transport_->call(call);
  if (!response) return no_answer(call, response.take_error());
  if (response->status >= 300) return failure_of(call, *response, clock_->now());
  Result<model::Parsed> body = model::parse_json(response->body);
  if (body) return std::move(body->value);
  // The code says success and the rest was lost on the way: nobody knows what was done.
  return no_answer(call, Error(Fault::Unavailable,
                               fmt::format("{}: an answer of {} bytes with code {} is no JSON: {}",
                                           text_of(call), response->body.size(), response->status,
                                           body.error().what())));
}

Reply<std::shared_ptr<net::WebSocket>> Client::connect(const std::string& target,
                                                       const std::vector<std::string>& protocols) {
  const net::Call call{
      .target = target, .headers = headers(""), .timeout = settings_.timeout, .stop = stop_};
  Result<net::Connected> connected = transport_->connect(call, protocols);
  if (connected && connected->socket) return std::move(connected->socket);
  if (connected && connected->answer.status >= 300)
    return failure_of(call, connected->answer, clock_->now());
  Failure failure =
      connected ? not_sent(Fault::Invalid, fmt::format("{}: {} is not how a server goes on as a "
                                                       "WebSocket",
                                                       text_of(call), connected->answer.status))
                : no_answer(call, connected.take_error());
  // A GET, yet it starts a command.
  failure.ambiguous = failure.error.fault() == Fault::Unavailable;
  return failure;
}

Reply<void> Client::stream(const std::string& target,
                           const std::function<bool(std::string_view)>& on_data,
                           std::stop_token stop) {
  std::stop_source either;
  const auto end = [&either] { either.request_stop(); };
  const std::stop_callback by_caller(stop, end), by_owner(stop_, end);
  net::Call call{.target = target,
                 .headers = headers(""),
                 .timeout = settings_.timeout,
                 .stop = either.get_token()};
  call.headers.set("Accept", "*/*");
  Result<net::Response> response = transport_->stream(call, on_data);
  if (!response) return no_answer(call, response.take_error());
  if (response->status >= 300) return failure_of(call, *response, clock_->now());
  return {};
}

Sleep sleep_until_stopped() { return holdfast::sleep_until_stopped(); }

}  // namespace holdfast::kube
