/// The informers of a process, each scope once, and the threads that keep them equal to the server.
#pragma once

#include <holdfast/kube/client.h>
#include <holdfast/kube/reflector.h>

#include <functional>
#include <memory>
#include <vector>

namespace holdfast::kube {

class Informers {
 public:
  explicit Informers(Random& random, std::string user_agent = "holdfast");
  ~Informers();

  /// The informer of that scope; made on first use. All must be asked for before the start.
  Informer& of(const Scope& scope);
  /// Null if nobody asked for a scope of this resource that holds the namespace.
  Informer* covering(const Resource& resource, std::string_view ns);
  bool synced() const;
  /// Which are not yet synced and why, for the message of a start that takes too long.
  std::vector<std::string> waiting_for() const;
  /// Why the server does not tell that informer anything at present; empty text if it does.
  Reflector::Trouble trouble(const Informer& informer) const;

  struct Entry {
    std::unique_ptr<Informer> informer;
    std::unique_ptr<Reflector> reflector;
  };
  /// For whoever drives the reflectors.
  const std::vector<std::unique_ptr<Entry>>& entries() const { return entries_; }

  /// Called when the first list of one of them is complete, in its thread. Before the start.
  void on_synced(std::function<void()> handler) { on_synced_ = std::move(handler); }

  /// Production: one thread per reflector, until stop(). Handlers of an informer run in its thread;
  /// they must not wait for long, since events wait behind them.
  void start(net::Client& transport, const Clock& clock);
  /// The server has answered a request of somebody else: what waits for it to be back tries at
  /// once. Cheap, and from any thread, between start() and stop().
  void hurry();
  /// Ends calls under way; returns once no thread runs.
  void stop();
  /// Blocks until all are synced; false if that took longer, or `stop` was asked for.
  bool wait_for_sync(std::chrono::milliseconds limit, const std::stop_token& stop = {});

 private:
  struct Threads;
  Random& random_;
  std::string user_agent_;
  std::function<void()> on_synced_{};
  std::vector<std::unique_ptr<Entry>> entries_;
  std::unique_ptr<Threads> threads_;
};

}  // namespace holdfast::kube
