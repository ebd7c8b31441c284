// The protocol: binary messages, of which the first byte is the channel.
//   0 stdin   1 stdout   2 stderr   3 a Status, the last word   4 {"Width":80,"Height":24}
//   255 (v5): the second byte names a channel that ends
#include <holdfast/base/mutex.h>
#include <holdfast/kube/streams.h>

#include "client/failure.h"

#include <fmt/format.h>

#include <charconv>
#include <deque>
#include <thread>

namespace holdfast::kube {
namespace {

using model::Value;
using net::WebSocket;

constexpr char kInput = 0, kOutput = 1, kErrors = 2, kStatus = 3, kResize = 4;
constexpr char kClose = char(255);
constexpr size_t kPiece = size_t(32) << 10;   // of what is written, as kubectl does
constexpr size_t kUnasked = size_t(1) << 20;  // received, and not yet asked for
constexpr std::string_view kV5 = "v5.channel.k8s.io", kV4 = "v4.channel.k8s.io";

std::string exec_target(std::string_view ns, std::string_view pod,
                        const std::vector<std::string>& command, const ExecOptions& options) {
  std::string target = kPods.path(ns, pod, "exec") + "?stdout=true";
  if (!options.tty) target += "&stderr=true";
  if (options.input) target += "&stdin=true";
  if (options.tty) target += "&tty=true";
  if (!options.container.empty()) target += "&container=" + net::percent_encode(options.container);
  for (const std::string& word : command) target += "&command=" + net::percent_encode(word);
  return target;
}

std::optional<int> exit_code_in(const Value& status) {
  for (const Value& cause : model::array_at(status, {"details", "causes"})) {
    if (model::string_at(cause, {"reason"}) != "ExitCode") continue;
    const std::string_view text = model::string_at(cause, {"message"});
    int code = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
    if (error == std::errc() && end == text.data() + text.size()) return code;
  }
  return std::nullopt;
}

ExecEnd end_of(std::string_view text) {
  ExecEnd end;
  auto parsed = model::parse_json(text);
  if (!parsed) {
    end.message = fmt::format("the command's end is told in no JSON: {}", parsed.error().what());
    return end;
  }
  end.status = std::move(parsed->value);
  end.message = model::string_at(end.status, {"message"});
  if (model::string_at(end.status, {"status"}) == "Success")
    end.code = 0;
  else if (model::string_at(end.status, {"reason"}) == "NonZeroExitCode")
    end.code = exit_code_in(end.status);
  return end;
}

class Session final : public ExecSession {
 public:
  Session(std::shared_ptr<WebSocket> socket, const ExecOptions& options)
      : socket_(std::move(socket)),
        options_(options),
        until_(options.limit.count() > 0 ? clock_.mono() + options.limit : MonoTime::max()),
        receiver_([this] { receive(); }) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() override { close(); }

  std::optional<Event> next(MonoTime until) override {
    const Lock lock(mutex_);
    while (events_.empty() && !ended_) {
      const MonoTime now = clock_.mono();
      if (now >= until) return std::nullopt;
      changed_.wait_for(mutex_, std::min<MonoTime>(until - now, std::chrono::seconds(60)));
    }
    if (events_.empty()) return Event{Event::Kind::End};
    Event event = std::move(events_.front());
    events_.pop_front();
    held_ -= event.data.size();
    changed_.notify_all();
    return event;
  }

  const ExecEnd& end() const override { return end_; }

  Result<void> write(std::string_view bytes) override {
    if (!options_.input) return Error(Fault::Invalid, "write to a command that has no input");
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, kPiece);
      HF_TRY(socket_->send(std::string(1, kInput).append(piece)));
      bytes.remove_prefix(piece.size());
    }
    return ok();
  }

  bool can_end_input() const override { return socket_->protocol() == kV5; }

  Result<void> end_input() override {
    if (!can_end_input())
      return Error(Fault::Invalid, "end the input of a command: the server speaks v4 only")
          .with_hint("Kubernetes 1.30 and newer can");
    return socket_->send(std::string{kClose, kInput});
  }

  Result<void> resize(int columns, int rows) override {
    return socket_->send(kResize + fmt::format(R"({{"Width":{},"Height":{}}})", columns, rows));
  }

  void close() override {
    socket_->close(WebSocket::kNormal, "");
    const Lock lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  void receive() {
    ExecEnd end;
    while (take(end)) {
    }
    const Lock lock(mutex_);
    end_ = std::move(end);
    ended_ = true;
    changed_.notify_all();
  }

  /// False at the end.
  bool take(ExecEnd& end) {
    if (clock_.mono() >= until_ || !socket_->wait(until_)) {
      end.message = fmt::format("not done within {} ms", options_.limit.count());
      socket_->close(WebSocket::kNormal, "");
      return false;
    }
    auto message = socket_->receive();
    if (!message || !*message) {
      end.message =
          message ? "the session was closed before the command ended" : message.error().what();
      return false;
    }
    const WebSocket::Message& got = **message;
    if (got.text || got.data.empty()) return true;
    const char channel = got.data.front();
    if (channel == kStatus) {
      end = end_of(std::string_view(got.data).substr(1));
      return false;
    }
    if ((channel == kOutput || channel == kErrors) && got.data.size() > 1)
      return put(
          {channel == kOutput ? Event::Kind::Output : Event::Kind::Errors, got.data.substr(1)});
    return true;
  }

  bool put(Event event) {
    const Lock lock(mutex_);
    for (MonoTime now = clock_.mono(); held_ > kUnasked && !closed_ && now < until_;
         now = clock_.mono())
      changed_.wait_for(mutex_, std::min<MonoTime>(until_ - now, std::chrono::seconds(60)));
    if (held_ > kUnasked) return true;  // closed or too late: the next look says which
    held_ += event.data.size();
    events_.push_back(std::move(event));
    changed_.notify_all();
    return true;
  }

  const std::shared_ptr<WebSocket> socket_;
  const ExecOptions options_;
  const SystemClock clock_{};
  const MonoTime until_;
  ExecEnd end_;  ///< written before ended_ is set, read after
  Mutex mutex_;
  CondVar changed_;
  std::deque<Event> events_ HF_GUARDED_BY(mutex_);
  size_t held_ HF_GUARDED_BY(mutex_) = 0;
  bool ended_ HF_GUARDED_BY(mutex_) = false;
  bool closed_ HF_GUARDED_BY(mutex_) = false;
  std::jthread receiver_;  ///< last: it uses all the others
};

}  // namespace

Reply<std::unique_ptr<ExecSession>> exec(Client& client, std::string_view ns, std::string_view pod,
                                         const std::vector<std::string>& command,
                                         const ExecOptions& options) {
  if (ns.empty() || pod.empty() || command.empty())
    return not_sent(Fault::Invalid, "exec: a namespace, a pod and a command are needed");
  auto socket = HF_TRY(
      client.connect(exec_target(ns, pod, command, options), {std::string(kV5), std::string(kV4)}));
  return std::unique_ptr<ExecSession>(std::make_unique<Session>(std::move(socket), options));
}

}  // namespace holdfast::kube
