/// Network between the operators and the API server: every request is counted, written down for the
/// judge, and may be lost, refused or made the last thing a process ever did.
#pragma once

#include <holdfast/net/client.h>
#include <holdfast/sim/history.h>

#include "faults/faults.h"
#include "world/schedule.h"
#include "world/server.h"

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::sim {

/// The object whose pass is under way.
struct ObjectPass {
  kube::Resource resource{};
  kube::Key key{};
  std::string text() const { return resource.text() + " " + key.text(); }
};

/// What the network knows of one incarnation of an operator.
struct Life {
  int slot = 0;         ///< which of the operators
  int incarnation = 0;  ///< how often one was started in that slot before
  Caller caller{};
  bool dead = false;
  MonoTime paused_until{};
  /// The threads of a process that goes on after a pause wake in any order; its elector here last.
  MonoTime elector_wakes{};
  std::optional<ObjectPass> pass{};  ///< the innermost: passes stand on each other's stack
};

/// One request as the server saw it.
struct Exchange {
  uint64_t call = 0;   ///< number among all requests of operators
  uint64_t write = 0;  ///< number among those committed; 0: read nothing, or refused
  MonoTime at{};
  int slot = 0, incarnation = 0;
  std::string method{}, target{};
  std::string pass{};  ///< the Holdfast-Pass header
  int code = 0;
  bool replied = true;  ///< the process got the answer
  std::string body{};   ///< the answer's, of requests with a pass
};

/// Carries out what strikes at a request: told what, returns nothing.
using OnExchange = std::function<void(const Exchange&)>;

class Network {
 public:
  Network(Server& server, History& history, Schedule& schedule);

  /// Those that strike at a write, a call or a stream, in place of the earlier ones; others are not
  /// its business.
  void set_faults(const std::vector<Mishap>& faults);
  /// Called after each answer of the server, before the caller gets it.
  void set_observer(OnExchange observer) { observer_ = std::move(observer); }
  /// `of`, a plural, is answered as it was `behind` commits ago, until then.
  void let_lists_lag(const std::string& of, uint64_t behind, MonoTime until);
  bool lists_lag(std::string_view plural) const;
  MonoTime lag_ends(std::string_view plural) const { return lags_.find(plural)->second.until; }

  Result<net::Response> carry(Life& life, const net::Call& call);
  /// An effect outside the server, a command in a pod: counted among the writes, so that whatever
  /// strikes at those strikes at it too.
  Result<void> act(Life& life, const std::string& what, const std::function<void()>& effect);

  /// A request to something other than the server, a bucket: lost, refused and struck as one to the
  /// server. Unavailable if no answer came.
  Result<void> reach(Life& life, const std::string& method, const std::string& target,
                     const std::function<Result<void>()>& effect);

  /// A command is run in a pod: after how many lines of its output its stream is cut, if it is.
  std::optional<uint64_t> begin_stream();

  /// Nothing but the server can be reached until it is told otherwise: such requests are lost.
  void cut_off(bool away) { cut_off_ = away; }

  uint64_t calls() const { return calls_; }
  /// Calls but for watches, which a server ends and clients begin again for ever, and leases.
  uint64_t requests() const { return requests_; }
  uint64_t writes() const { return writes_; }
  uint64_t streams() const { return streams_; }
  const std::vector<Exchange>& log() const { return log_; }

 private:
  struct Lag {
    uint64_t version = 0;
    MonoTime until{};
  };
  /// What strikes at that number, if it is one of those kinds. It strikes once.
  std::optional<Mishap> strike(Mishap::At at, uint64_t number, std::initializer_list<Do> kinds);
  net::Response answer(const Life& life, const net::Call& call);
  Result<net::Response> wait_out(Life& life, const net::Call& call, MonoTime begun);
  Result<net::Response> settle(Life& life, const net::Call& call, net::Response response,
                               bool lose_reply, MonoTime begun);
  /// Carries the effect out and tells of it; what strikes at its write, if it is one, strikes. An
  /// error: the caller is dead.
  Result<void> perform(Life& life, Exchange exchange, bool changes,
                       const std::function<void()>& effect);
  Exchange& note(const Life& life, const net::Call& call, const net::Response& response);

  Server& server_;
  History& history_;
  Schedule& schedule_;
  std::multimap<uint64_t, Mishap> at_write_, at_call_, at_stream_;
  std::map<std::string, Lag, std::less<>> lags_;
  OnExchange observer_;
  bool cut_off_ = false;
  uint64_t calls_ = 0, requests_ = 0, writes_ = 0, streams_ = 0;
  std::vector<Exchange> log_;
};

/// One incarnation's end of it. A dead one's requests fail without effect.
class Wire final : public net::Client {
 public:
  Wire(Network& network, Life& life) : network_(network), life_(life) {}
  Result<net::Response> call(const net::Call& call) override { return network_.carry(life_, call); }
  /// Nothing in the simulation may block on a stream; feeds open theirs with call().
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>& on_data) override;

 private:
  Network& network_;
  Life& life_;
};

}  // namespace holdfast::sim
