// Order of start, and in reverse of stop:
//   pages → caches → events → (one controller's caches hold the first list) → election → workers
#include "runtime/body.h"

#include <holdfast/base/log.h>
#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <charconv>

namespace holdfast::control {
namespace {

using namespace std::chrono_literals;

/// Nobody sleeps longer than this without looking again, whatever the timers say.
constexpr std::chrono::microseconds kLongestSleep = 1s;

kube::ClientSettings one_try(const RuntimeSettings& settings, std::chrono::milliseconds timeout) {
  kube::ClientSettings out;
  out.user_agent = settings.name;
  out.field_manager = settings.name;
  out.timeout = timeout;
  out.tries = 1;
  return out;
}

bool one_synced(const std::vector<std::unique_ptr<Controller>>& controllers) {
  return controllers.empty() || std::any_of(controllers.begin(), controllers.end(),
                                            [](const auto& each) { return each->synced(); });
}

std::chrono::milliseconds election_timeout(const RuntimeSettings& settings) {
  if (!settings.election) return settings.request_timeout;
  return std::max<std::chrono::milliseconds>(1s, settings.election->renew_within / 2);
}

}  // namespace

Runtime::Body::Body(RuntimeSettings chosen, net::Client& inner, const Clock& time, Random& random,
                    const kube::Sleep& sleep)
    : settings(std::move(chosen)),
      clock(time),
      transport(inner, metrics, settings.host, time, contact, [this] { informers.hurry(); }),
      client(transport, time, random, sleep, one_try(settings, settings.request_timeout)),
      election_client(transport, time, random, sleep,
                      one_try(settings, election_timeout(settings))),
      informers(random, settings.name),
      events(client, time, settings.instance.empty() ? settings.name : settings.instance),
      watch_over(controllers, metrics, client),
      pages_([this] { return metrics.text(); }) {
  client.stop_with(abandon_.get_token());
  if (settings.election) {
    elector.emplace(*settings.election, election_client, time, random);
    events.send_behind(elector->fence());
    metrics.leading(settings.election->name, false);
  }
  pages_.ready_if("caches", [this]() -> std::optional<std::string> {
    if (one_synced(controllers)) return {};
    return "waiting for " + join(informers.waiting_for(), "; ");
  });
  pages_.ready_if("server", [this] { return contact.trouble(clock.mono()); });
}

void Runtime::Body::add(ControllerSpec spec) {
  workers.push_back(std::max(1, spec.workers));
  const Fence fence = elector ? elector->fence() : Fence::open();
  controllers.push_back(std::make_unique<Controller>(
      std::move(spec),
      Shared{informers, client, clock, fence, events, metrics, settings.say_basis}));
  bells_.push_back(std::make_unique<Bell>());
}

bool Runtime::Body::leads() const {
  return !elector || elector->state() == Elector::State::Leading;
}

std::string Runtime::Body::pages_address() const {
  const Lock lock(address_mutex_);
  return address_;
}

Result<void> Runtime::Body::check_limits() const {
  if (!settings.election) return ok();
  const ElectorSettings& lease = *settings.election;
  for (const auto& each : controllers)
    if (each->longest_operation() + lease.retry >= lease.lease)
      return Error(Fault::Invalid,
                   fmt::format("lead by a lease of {} ms, renewed every {} ms: an operation of {} "
                               "may take {} ms, and the lease could end before it",
                               lease.lease.count(), lease.retry.count(), each->name(),
                               each->longest_operation().count()))
          .with_hint("make the lease longer, or the limit of the operation shorter");
  return ok();
}

Result<void> Runtime::Body::start_pages() {
  if (settings.pages_listen.empty()) return ok();
  const size_t colon = settings.pages_listen.rfind(':');
  net::ServerOptions options;
  options.threads = 1;
  options.max_connections = 100;
  const std::string port =
      colon == std::string::npos ? "" : settings.pages_listen.substr(colon + 1);
  const auto read = std::from_chars(port.data(), port.data() + port.size(), options.port);
  if (port.empty() || read.ec != std::errc() || read.ptr != port.data() + port.size())
    return Error(Fault::Invalid, fmt::format("serve health pages at {}: not HOST:PORT",
                                             quoted(settings.pages_listen)));
  options.host = settings.pages_listen.substr(0, colon);
  if (options.host.empty()) options.host = "0.0.0.0";
  const std::string host = options.host;
  pages_server_ = HF_TRY(net::Server::start(std::move(options), pages_));
  const Lock lock(address_mutex_);
  address_ = fmt::format("{}:{}", host, pages_server_->port());
  return ok();
}

void Runtime::Body::wait_for_a_controller(const std::stop_token& stop) {
  MonoTime look = clock.mono() + kLongestSleep;
  for (;;) {
    const uint64_t seen = turn_.rings();
    if (one_synced(controllers) || stop.stop_requested()) return;
    if (clock.mono() >= look) {
      watch_over.look(false);
      look = clock.mono() + kLongestSleep;
    }
    wait_until(turn_, seen, look);
  }
}

void Runtime::Body::wait_until(Bell& bell, uint64_t seen, std::optional<MonoTime> due) {
  std::chrono::microseconds sleep = kLongestSleep;
  if (due) sleep = std::min(sleep, std::chrono::microseconds(*due - clock.mono()));
  bell.wait(seen, sleep);
}

void Runtime::Body::elect(const std::stop_token& stop) {
  for (;;) {
    const uint64_t seen = turn_.rings();
    if (stop.stop_requested()) return;
    if (clock.mono() >= elector->due()) elector->step();
    const Elector::State now = elector->state();
    if (election_.exchange(now) != now) {
      metrics.leading(settings.election->name, now == Elector::State::Leading);
      turn_.ring();
    }
    if (now == Elector::State::Lost) return;
    wait_until(turn_, seen, elector->due());
  }
}

void Runtime::Body::work(size_t index, const std::stop_token& stop) {
  Controller& controller = *controllers[index];
  Bell& bell = *bells_[index];
  for (;;) {
    const uint64_t seen = bell.rings();
    if (stop.stop_requested()) return;
    if (!controller.synced())
      bell.wait(seen);
    else if (!controller.step())
      wait_until(bell, seen, controller.queue().due());
  }
}

void Runtime::Body::send_events(const std::stop_token& stop) {
  for (;;) {
    const uint64_t seen = events_bell_.rings();
    if (stop.stop_requested()) return;
    const std::optional<MonoTime> due = events.due();
    if (due && *due <= clock.mono())
      events.step();
    else
      wait_until(events_bell_, seen, due);
  }
}

Result<void> Runtime::Body::lead(const std::stop_token& stop) {
  std::jthread election;
  if (elector) election = std::jthread([this](const std::stop_token& end) { elect(end); });
  for (;;) {
    const uint64_t seen = turn_.rings();
    if (stop.stop_requested() || !elector || election_ != Elector::State::Following) break;
    watch_over.look(false);
    turn_.wait(seen, kLongestSleep);
  }
  std::vector<std::jthread> threads;
  if (!stop.stop_requested() && (!elector || election_ == Elector::State::Leading))
    for (size_t i = 0; i < controllers.size(); ++i)
      for (int n = 0; n < workers[i]; ++n)
        threads.emplace_back([this, i](const std::stop_token& end) { work(i, end); });
  for (;;) {
    const uint64_t seen = turn_.rings();
    if (stop.stop_requested() || (elector && election_ == Elector::State::Lost)) break;
    watch_over.look(true);
    turn_.wait(seen, kLongestSleep);
  }
  const bool lost = elector && election_ == Elector::State::Lost;
  for (std::jthread& thread : threads) thread.request_stop();
  for (const auto& bell : bells_) bell->ring();
  // Passes under way may finish; after the limit their calls are cut off.
  std::jthread impatience([this](const std::stop_token& all_ended) {
    Bell never;
    const std::stop_callback wake(all_ended, [&never] { never.ring(); });
    const uint64_t seen = never.rings();
    if (!all_ended.stop_requested()) never.wait(seen, settings.stop_limit);
    if (!all_ended.stop_requested()) abandon_.request_stop();
  });
  threads.clear();
  impatience.request_stop();
  if (!elector) return ok();
  election.request_stop();
  turn_.ring();
  election.join();
  if (!lost) {
    elector->release();
    return ok();
  }
  return Error(Fault::Unavailable,
               fmt::format("lead by lease {}/{}: lost: {}", settings.election->ns,
                           settings.election->name, elector->loss()));
}

Result<void> Runtime::Body::run(const std::stop_token& stop) {
  HF_TRY(check_limits());
  HF_TRY(start_pages());
  for (size_t i = 0; i < controllers.size(); ++i)
    controllers[i]->queue().set_waker([bell = bells_[i].get()] { bell->ring(); });
  events.set_waker([this] { events_bell_.ring(); });
  informers.on_synced([this] {
    for (const auto& bell : bells_) bell->ring();
    turn_.ring();
  });
  const std::stop_callback wake(stop, [this] { turn_.ring(); });
  informers.start(transport, clock);
  Result<void> ended = ok();
  {
    const std::jthread sender([this](const std::stop_token& end) {
      const std::stop_callback wake_sender(end, [this] { events_bell_.ring(); });
      send_events(end);
    });
    wait_for_a_controller(stop);
    ended = lead(stop);
  }
  informers.stop();
  if (pages_server_) pages_server_->stop(1s);
  return ended;
}

}  // namespace holdfast::control
