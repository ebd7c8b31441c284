#include "credentials/transport.h"

#include <holdfast/base/log.h>
#include <holdfast/base/mutex.h>
#include <holdfast/model/time.h>

#include "credentials/shown.h"

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

/// How often files are looked at, and the least time between two tries of what failed.
constexpr std::chrono::seconds kLookAgain{10};
constexpr std::chrono::seconds kConnectTimeout{10}, kSilence{30};

/// One state of the credentials with the connections that belong to it. Calls hold it while they
/// last, so a rotation leaves them alone.
struct Session {
  Shown shown;
  std::shared_ptr<net::Client> transport;
};
using SessionPtr = std::shared_ptr<const Session>;

/// The session in force. One thread at a time finds out the next; the others wait for what it
/// learns, and share its failure too: a plugin that hangs costs a minute once, not once per caller.
class Sessions {
 public:
  Sessions(Config config, const Clock& clock, ConnectParts parts)
      : source_(std::move(config), clock, parts.plugin_limit),
        clock_(clock),
        make_(std::move(parts.make)) {}

  const Config& config() const { return source_.config(); }

  Result<SessionPtr> current(const std::stop_token& stop) { return obtain(nullptr, stop); }
  /// After the server did not take `refused`: another session, or null if there is none to be had.
  SessionPtr other_than(const SessionPtr& refused, const std::stop_token& stop) {
    Result<SessionPtr> next = obtain(refused, stop);
    const bool same = !next || *next == refused || (*next)->shown.same(refused->shown);
    return same ? nullptr : *next;
  }

 private:
  struct Turn {
    bool ours = false;           ///< to find out the next session
    bool after_refusal = false;  ///< the server did not take the one in force
    SessionPtr session{};        ///< in force, if any
    std::optional<Error> failure{};
  };

  Result<SessionPtr> obtain(const SessionPtr& refused, const std::stop_token& stop) {
    const std::stop_callback on_stop(stop, [this] {
      const Lock lock(mutex_);
      changed_.notify_all();
    });
    Turn turn = take_turn(refused, stop);
    if (turn.failure) return std::move(*turn.failure);
    if (!turn.ours) return turn.session;
    return give_back(turn, make_session(turn, stop), stop);
  }

  /// Nothing is to be learned now.
  bool settled(bool refused) const HF_REQUIRES(mutex_) {
    const MonoTime now = clock_.mono();
    if (failure_) return now < next_look_;
    if (!session_ || (refused && now >= next_after_refusal_)) return false;
    const std::optional<WallTime>& renew_at = session_->shown.renew_at;
    if (renew_at && clock_.now() >= *renew_at && now >= next_renewal_) return false;
    return now < next_look_;
  }

  Turn take_turn(const SessionPtr& refused, const std::stop_token& stop) HF_EXCLUDES(mutex_) {
    const Lock lock(mutex_);
    while (busy_ && !stop.stop_requested()) changed_.wait(mutex_);
    Turn turn;
    turn.session = session_;
    turn.after_refusal = refused && session_ && session_->shown.same(refused->shown);
    if (stop.stop_requested()) {
      turn.failure = Error(Fault::Unavailable, "stopped by the caller");
    } else if ((!session_ || source_.renewable()) && !settled(turn.after_refusal)) {
      turn.ours = busy_ = true;
    } else if (failure_) {
      turn.failure = failure_->copy();
    }
    return turn;
  }

  Result<SessionPtr> make_session(const Turn& turn, const std::stop_token& stop) const {
    const Shown* const last = turn.session ? &turn.session->shown : nullptr;
    const Shown shown = HF_TRY(source_.read(last, turn.after_refusal, stop));
    auto session = std::make_shared<Session>();
    session->shown = shown;
    if (last != nullptr && last->same_connection(shown)) {
      session->transport = turn.session->transport;
      return SessionPtr(session);
    }
    const Config& config = source_.config();
    net::ClientOptions options;
    options.base_url = config.server;
    options.ca = shown.ca;
    options.certificate = shown.certificate;
    options.key = shown.key;
    options.proxy = config.proxy_url;
    options.server_name = config.tls_server_name;
    options.insecure = config.insecure;
    // A watch over a link that is down would look like a server with no news.
    options.connect_timeout = kConnectTimeout;
    options.silence = kSilence;
    session->transport = HF_TRY(make_(std::move(options)));
    return SessionPtr(session);
  }

  Result<SessionPtr> give_back(const Turn& turn, Result<SessionPtr> made,
                               const std::stop_token& stop) HF_EXCLUDES(mutex_) {
    const Lock lock(mutex_);
    busy_ = false;
    changed_.notify_all();
    if (!made && stop.stop_requested()) return made;  // says nothing about the credentials
    const MonoTime later = clock_.mono() + kLookAgain;
    next_look_ = later;
    if (turn.after_refusal) next_after_refusal_ = later;
    failure_.reset();
    if (made) session_ = *made;
    const WallTime now = clock_.now();
    const bool expired = session_ && session_->shown.expires && *session_->shown.expires <= now;
    if (!made && (!session_ || expired)) failure_ = made.error().copy();
    // The plugin was asked and failed, and what it said before is still good.
    if (made && session_->shown.renew_at && *session_->shown.renew_at <= now) next_renewal_ = later;
    if (made || failure_) return made;
    log::warn(
        fmt::format("keeping the credentials of {}: {}", config().source, made.error().what()));
    return session_;
  }

  const CredentialSource source_;
  const Clock& clock_;
  const std::function<Result<std::unique_ptr<net::Client>>(net::ClientOptions)> make_;
  Mutex mutex_;
  CondVar changed_;
  bool busy_ HF_GUARDED_BY(mutex_) = false;
  SessionPtr session_ HF_GUARDED_BY(mutex_);
  std::optional<Error> failure_ HF_GUARDED_BY(mutex_);
  MonoTime next_look_ HF_GUARDED_BY(mutex_){0};
  MonoTime next_renewal_ HF_GUARDED_BY(mutex_){0};
  MonoTime next_after_refusal_ HF_GUARDED_BY(mutex_){0};
};

class CredentialedClient final : public net::Client {
 public:
  CredentialedClient(Config config, const Clock& clock, ConnectParts parts)
      : clock_(clock), sessions_(std::move(config), clock, std::move(parts)) {}

  Result<void> log_in() {
    HF_TRY(session({}));
    return ok();
  }
  Result<net::Response> call(const net::Call& call) override {
    return perform(call, [](net::Client& to, const net::Call& shown) { return to.call(shown); });
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>& on_data) override {
    return perform(call, [&on_data](net::Client& to, const net::Call& shown) {
      return to.stream(shown, on_data);
    });
  }
  Result<net::Connected> connect(const net::Call& call,
                                 const std::vector<std::string>& protocols) override {
    return perform(call, [&protocols](net::Client& to, const net::Call& shown) {
      return to.connect(shown, protocols);
    });
  }

 private:
  Result<SessionPtr> session(const std::stop_token& stop) {
    Result<SessionPtr> session = sessions_.current(stop);
    if (session) return session;
    return session.take_error().with_context("logging in by " + sessions_.config().source);
  }

  net::Call with_credentials(const net::Call& call, const Shown& shown) const {
    net::Call out = call;
    if (!shown.authorization.empty() && !call.headers.has("Authorization"))
      out.headers.set("Authorization", shown.authorization);
    const Credentials& user = sessions_.config().user;
    if (user.as_user.empty() || call.headers.has("Impersonate-User")) return out;
    out.headers.set("Impersonate-User", user.as_user);
    if (!user.as_uid.empty()) out.headers.set("Impersonate-Uid", user.as_uid);
    for (const std::string& group : user.as_groups) out.headers.add("Impersonate-Group", group);
    for (const auto& [key, value] : user.as_extra)
      out.headers.add("Impersonate-Extra-" + net::percent_encode(key), value);
    return out;
  }

  /// Not logged in: 401, or a TLS connection that did not come about. Either way nothing was done.
  template <class Answer>
  static bool refused(const Result<Answer>& answer) {
    return answer ? status_of(*answer) == 401 : answer.error().fault() == Fault::Denied;
  }
  static int status_of(const net::Response& response) { return response.status; }
  static int status_of(const net::Connected& connected) { return connected.answer.status; }

  template <class Send>
  auto perform(const net::Call& call, const Send& send)
      -> decltype(send(std::declval<net::Client&>(), call)) {
    SessionPtr session = HF_TRY(this->session(call.stop));
    auto response = send(*session->transport, with_credentials(call, session->shown));
    if (!refused(response) || call.headers.has("Authorization")) return response;
    if (const SessionPtr other = sessions_.other_than(session, call.stop)) {
      session = other;
      response = send(*session->transport, with_credentials(call, session->shown));
    }
    return explained(std::move(response), session->shown);
  }

  /// The server does not say why it does not know us; often we can.
  template <class Answer>
  Result<Answer> explained(Result<Answer> response, const Shown& shown) const {
    if (!refused(response) || !shown.certificate_ends || clock_.now() < *shown.certificate_ends)
      return response;
    return Error(Fault::Denied,
                 fmt::format("logging in by {}: the client certificate expired at {}: {}",
                             sessions_.config().source, model::to_rfc3339(*shown.certificate_ends),
                             response ? "401 Unauthorized" : response.error().what()));
  }

  const Clock& clock_;
  Sessions sessions_;
};

}  // namespace

Result<std::unique_ptr<net::Client>> connect(Config config, const Clock& clock,
                                             ConnectParts parts) {
  auto client = std::make_unique<CredentialedClient>(std::move(config), clock, std::move(parts));
  HF_TRY(client->log_in());
  return std::unique_ptr<net::Client>(std::move(client));
}

Result<std::unique_ptr<net::Client>> connect(Config config, const Clock& clock) {
  return connect(std::move(config), clock, ConnectParts{});
}

}  // namespace holdfast::kube
