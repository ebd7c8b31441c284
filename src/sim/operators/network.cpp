#include "operators/network.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::sim {
namespace {

/// So long a bucket's answer is waited for.
constexpr MonoTime kLongestAnswer = std::chrono::seconds(10);

bool changes_something(const std::string& method) { return method != "GET" && method != "HEAD"; }

// Renewals of leases go on for ever: they are no steps of the work.
bool is_lease(std::string_view target) { return target.find("/leases") != std::string_view::npos; }

bool counts_as_write(const net::Call& call) {
  return changes_something(call.method) && !is_lease(call.target);
}

bool counts_as_request(const net::Call& call) {
  return !is_lease(call.target) && call.target.find("watch=") == std::string::npos;
}

// "/apis/apps/v1/namespaces/shop/deployments?limit=500" → "deployments", of collections only.
std::string_view collection_of(std::string_view target) {
  target = target.substr(0, target.find('?'));
  return target.substr(target.rfind('/') + 1);
}

net::Response refusal(int code) {
  net::Response response;
  response.status = code;
  response.headers.set("Content-Type", "application/json");
  if (code == 429 || code == 503) response.headers.set("Retry-After", "1");
  const char* reason = code == 409   ? "Conflict"
                       : code == 410 ? "Expired"
                       : code == 429 ? "TooManyRequests"
                       : code == 503 ? "ServiceUnavailable"
                                     : "InternalError";
  response.body =
      fmt::format(R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure",)"
                  R"("message":"injected","reason":"{}","code":{}}})",
                  reason, code);
  return response;
}

Error dead() { return {Fault::Unavailable, "the process is dead"}; }

}  // namespace

Result<net::Response> Wire::stream(const net::Call& call,
                                   const std::function<bool(std::string_view)>&) {
  return Error(Fault::Internal, "a stream that blocks: " + call.target);
}

Network::Network(Server& server, History& history, Schedule& schedule)
    : server_(server), history_(history), schedule_(schedule) {}

void Network::set_faults(const std::vector<Mishap>& faults) {
  at_write_.clear();
  at_call_.clear();
  at_stream_.clear();
  for (const Mishap& fault : faults) {
    if (fault.at == Mishap::At::Write) at_write_.emplace(fault.number, fault);
    if (fault.at == Mishap::At::Call) at_call_.emplace(fault.number, fault);
    if (fault.at == Mishap::At::Stream) at_stream_.emplace(fault.number, fault);
  }
}

std::optional<Mishap> Network::strike(Mishap::At at, uint64_t number,
                                      std::initializer_list<Do> kinds) {
  auto& all = at == Mishap::At::Write    ? at_write_
              : at == Mishap::At::Stream ? at_stream_
                                         : at_call_;
  const auto [begin, end] = all.equal_range(number);
  for (auto it = begin; it != end; ++it) {
    if (std::find(kinds.begin(), kinds.end(), it->second.what) == kinds.end()) continue;
    Mishap found = std::move(it->second);
    all.erase(it);
    return found;
  }
  return std::nullopt;
}

void Network::let_lists_lag(const std::string& of, uint64_t behind, MonoTime until) {
  const auto& commits = history_.commits();
  const size_t at = commits.size() > behind ? commits.size() - behind : 0;
  lags_[of] = {commits.empty() ? 0 : commits[at > 0 ? at - 1 : 0].version, until};
}

bool Network::lists_lag(std::string_view plural) const {
  const auto found = lags_.find(plural);
  return found != lags_.end() && schedule_.now() < found->second.until;
}

// A list that asks for any version may be answered by a server that lags behind; a streaming list
// promises the newest, which that server refuses to know about.
net::Response Network::answer(const Life& life, const net::Call& call) {
  const std::string_view plural = collection_of(call.target);
  if (call.method == "GET" && lists_lag(plural)) {
    if (call.target.find("sendInitialEvents=true") != std::string::npos) return refusal(422);
    const bool watch = call.target.find("watch=") != std::string::npos;
    if (!watch && call.target.find("resourceVersion=0") != std::string::npos) {
      net::Response response;
      response.headers.set("Content-Type", "application/json");
      response.body =
          history_.list_at(history_.index_of(plural), lags_.find(plural)->second.version);
      return response;
    }
  }
  return server_.ask(life.caller, call);
}

Exchange& Network::note(const Life& life, const net::Call& call, const net::Response& response) {
  Exchange exchange;
  exchange.call = calls_;
  exchange.at = schedule_.now();
  exchange.slot = life.slot;
  exchange.incarnation = life.incarnation;
  exchange.method = call.method;
  exchange.target = call.target;
  exchange.pass = call.headers.get("Holdfast-Pass");
  exchange.code = response.status;
  if (counts_as_write(call) && response.status < 300) exchange.write = ++writes_;
  if (!exchange.pass.empty()) exchange.body = response.body;
  log_.push_back(std::move(exchange));
  return log_.back();
}

// No answer came: the caller waits as long as it said it would.
Result<net::Response> Network::wait_out(Life& life, const net::Call& call, MonoTime begun) {
  schedule_.wait_until(begun + std::chrono::duration_cast<MonoTime>(call.timeout));
  if (life.dead) return dead();
  return Error(Fault::Unavailable, fmt::format("{} {}: no answer within {} ms", call.method,
                                               call.target, call.timeout.count()));
}

Result<net::Response> Network::carry(Life& life, const net::Call& call) {
  if (life.dead) return dead();
  const MonoTime begun = schedule_.now();
  if (counts_as_request(call)) ++requests_;
  const auto fault =
      strike(Mishap::At::Call, ++calls_, {Do::LoseRequest, Do::LoseReply, Do::Answer});
  schedule_.yield();
  schedule_.spend_on_request();
  if (life.dead) return dead();
  // Others waited meanwhile, and so long that this request would have been given up.
  if (schedule_.now() - begun > std::chrono::duration_cast<MonoTime>(call.timeout))
    return Error(Fault::Unavailable, "no answer in time: " + call.target);
  if (fault && fault->what == Do::LoseRequest) return wait_out(life, call, begun);
  if (fault && fault->what == Do::Answer) return refusal(fault->code);
  if (counts_as_write(call) && strike(Mishap::At::Write, writes_ + 1, {Do::CrashBeforeWrite})) {
    life.dead = true;
    return dead();
  }
  net::Response response = answer(life, call);
  return settle(life, call, std::move(response), fault.has_value(), begun);
}

Result<void> Network::perform(Life& life, Exchange exchange, bool changes,
                              const std::function<void()>& effect) {
  if (changes && strike(Mishap::At::Write, writes_ + 1, {Do::CrashBeforeWrite})) {
    life.dead = true;
    return dead();
  }
  effect();
  exchange.call = calls_;
  if (changes) exchange.write = ++writes_;
  exchange.at = schedule_.now();
  exchange.slot = life.slot;
  exchange.incarnation = life.incarnation;
  log_.push_back(exchange);
  if (observer_) observer_(exchange);
  if (!changes) return {};
  const auto crash =
      strike(Mishap::At::Write, exchange.write, {Do::CrashBeforeReply, Do::CrashAfterReply});
  if (crash) life.dead = true;
  if (crash && crash->what == Do::CrashBeforeReply) return dead();
  return {};
}

Result<void> Network::act(Life& life, const std::string& what,
                          const std::function<void()>& effect) {
  if (life.dead) return dead();
  ++calls_;
  ++requests_;
  schedule_.yield();
  schedule_.spend_on_request();
  if (life.dead) return dead();
  Exchange exchange;
  exchange.method = "EXEC";
  exchange.target = what;
  return perform(life, std::move(exchange), true, effect);
}

std::optional<uint64_t> Network::begin_stream() {
  const auto cut = strike(Mishap::At::Stream, ++streams_, {Do::CutStream});
  if (!cut) return std::nullopt;
  return cut->pick;
}

Result<void> Network::reach(Life& life, const std::string& method, const std::string& target,
                            const std::function<Result<void>()>& effect) {
  if (life.dead) return dead();
  const MonoTime gives_up = schedule_.now() + kLongestAnswer;
  std::optional<Mishap> fault =
      strike(Mishap::At::Call, ++calls_, {Do::LoseRequest, Do::LoseReply, Do::Answer});
  if (cut_off_) fault = Mishap{.what = Do::LoseRequest};
  schedule_.yield();
  schedule_.spend_on_request();
  if (life.dead) return dead();
  if (fault && fault->what == Do::Answer)
    return Error(Fault::Unavailable, fmt::format("{} {}: {}", method, target, fault->code));
  Result<void> done = ok();
  if (!fault || fault->what == Do::LoseReply) {
    Exchange exchange;
    exchange.method = method;
    exchange.target = target;
    exchange.replied = !fault;
    HF_TRY(perform(life, std::move(exchange), changes_something(method), [&] { done = effect(); }));
  }
  if (fault) {
    schedule_.wait_until(gives_up);
    if (!life.dead)
      done = Error(Fault::Unavailable, fmt::format("{} {}: no answer", method, target));
  }
  schedule_.yield();
  if (life.dead) return dead();
  return done;
}

Result<net::Response> Network::settle(Life& life, const net::Call& call, net::Response response,
                                      bool lose_reply, MonoTime begun) {
  history_.catch_up();
  Exchange& exchange = note(life, call, response);
  std::optional<Mishap> crash;
  if (exchange.write > 0)
    crash = strike(Mishap::At::Write, exchange.write, {Do::CrashBeforeReply, Do::CrashAfterReply});
  const bool unheard = crash && crash->what == Do::CrashBeforeReply;
  exchange.replied = !lose_reply && !unheard;
  if (observer_) observer_(exchange);
  if (crash) {
    life.dead = true;
    if (unheard) return dead();
    return response;
  }
  if (lose_reply) return wait_out(life, call, begun);
  schedule_.yield();
  if (life.paused_until > schedule_.now()) schedule_.wait_until(life.paused_until);
  if (life.dead) return dead();
  return response;
}

}  // namespace holdfast::sim
