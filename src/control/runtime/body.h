/// The parts of a runtime, in the order in which they are made and used.
#pragma once

#include <holdfast/control/runtime.h>
#include <holdfast/net/server.h>

#include "runtime/bell.h"
#include "runtime/contact.h"
#include "runtime/metered.h"
#include "runtime/pages.h"
#include "runtime/parts.h"

#include <atomic>
#include <thread>

namespace holdfast::control {

struct Runtime::Body {
  Body(RuntimeSettings chosen, net::Client& transport, const Clock& clock, Random& random,
       const kube::Sleep& sleep);

  void add(ControllerSpec spec);
  bool leads() const;
  std::string pages_address() const;
  Result<void> run(const std::stop_token& stop);

  const RuntimeSettings settings;
  const Clock& clock;
  Metrics metrics{};
  Contact contact{};
  Metered transport;
  kube::Client client;           ///< one try per call: the queue is who tries again
  kube::Client election_client;  ///< impatient, so that a slow server does not eat the lease
  kube::Informers informers;
  std::optional<Elector> elector{};
  EventRecorder events;
  std::vector<std::unique_ptr<Controller>> controllers{};
  std::vector<int> workers{};  ///< threads per controller
  PartsWatch watch_over;

 private:
  Result<void> check_limits() const;
  Result<void> start_pages();
  void wait_for_a_controller(const std::stop_token& stop);
  Result<void> lead(const std::stop_token& stop);
  void elect(const std::stop_token& stop);
  void work(size_t index, const std::stop_token& stop);
  void send_events(const std::stop_token& stop);
  void wait_until(Bell& bell, uint64_t seen, std::optional<MonoTime> due);

  Pages pages_;
  std::unique_ptr<net::Server> pages_server_{};
  mutable Mutex address_mutex_{};
  std::string address_ HF_GUARDED_BY(address_mutex_){};
  std::stop_source abandon_{};  ///< ends calls under way
  std::atomic<Elector::State> election_{Elector::State::Following};
  Bell turn_{};  ///< the election took a turn, or somebody asked to stop
  Bell events_bell_{};
  std::vector<std::unique_ptr<Bell>> bells_{};  ///< one per controller
};

}  // namespace holdfast::control
