/// One reflector's share of the world: it lists and watches by steps of one line each, so that
/// each informer of each process lags behind in its own way.
#pragma once

#include <holdfast/kube/informers.h>

#include "operators/network.h"

#include <deque>
#include <memory>
#include <string>

namespace holdfast::sim {

class Feed final : public Actor {
 public:
  Feed(kube::Informers::Entry& entry, Wire& wire, const Network& network, const Life& life,
       const ManualClock& clock);
  ~Feed() override;

  std::string_view name() const override { return name_; }
  std::optional<MonoTime> due() override;
  void step() override;

  std::string_view plural() const { return entry_.informer->scope().resource.plural; }
  // What may befall its watch.
  void drop();
  void expire();
  void delay_until(MonoTime then) { delayed_until_ = std::max(delayed_until_, then); }
  void duplicate_until(MonoTime then) { duplicated_until_ = then; }
  void coalesce_until(MonoTime then) { coalesced_until_ = then; }
  /// All that the server has sent has been taken in.
  bool caught_up() const;

 private:
  void begin();
  void pull();
  void coalesce();
  void deliver();
  void close(const net::Response& answer);

  kube::Informers::Entry& entry_;
  Wire& wire_;
  const Network& network_;
  const Life& life_;
  const ManualClock& clock_;
  std::string name_;
  MonoTime again_{};  ///< while no watch is open: when to look what is next
  std::shared_ptr<net::BodyStream> stream_;
  std::shared_ptr<bool> woken_ = std::make_shared<bool>(false);
  bool ended_ = false, broken_ = false, expired_ = false;
  std::string half_;
  std::deque<std::string> inbox_;
  MonoTime delayed_until_{}, duplicated_until_{}, coalesced_until_{};
};

}  // namespace holdfast::sim
