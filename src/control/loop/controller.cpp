// The loop of a controller: what comes in, what is held back, and what a pass ends in. What happens
// to its one effect is in effects.cpp.
#include <holdfast/base/log.h>
#include <holdfast/control/controller.h>
#include <holdfast/control/sabotage.h>

#include "loop/body.h"

#include <fmt/format.h>

#include <exception>

namespace holdfast::control {

Controller::Controller(ControllerSpec spec, Shared shared)
    : body_(std::make_shared<Body>(std::move(spec), std::move(shared))) {
  Body::listen(body_);
  for (const kube::Key& key : body_->spec.first) enqueue(key);
}
Controller::~Controller() = default;

const std::string& Controller::name() const { return body_->spec.name; }
const std::string& Controller::part() const { return body_->spec.part; }
std::chrono::milliseconds Controller::longest_operation() const {
  return body_->spec.longest_operation;
}
Queue& Controller::queue() { return body_->queue; }
bool Controller::synced() const { return body_->synced(); }
std::vector<Unheard> Controller::unheard() const { return body_->unheard(); }
void Controller::enqueue(const kube::Key& key) { body_->enqueue(key, kNormalPriority); }

bool Controller::step() {
  auto work = body_->queue.take(body_->shared.clock.mono());
  if (work) body_->work(*work);
  return work.has_value();
}

bool Controller::step(const kube::Key& key) {
  auto work = body_->queue.take(key, body_->shared.clock.mono());
  if (work) body_->work(*work);
  return work.has_value();
}

Controller::Body::Body(ControllerSpec chosen, Shared parts)
    : spec(std::move(chosen)),
      shared(std::move(parts)),
      caches_(shared.informers, spec.watches),
      reconciler_(spec.make()),
      waits_([this](const std::string& reason, int keys) {
        shared.metrics.waiting(spec.name, reason, keys);
      }),
      refusals_(spec.watches.front().scope.resource, spec.refused_condition) {
  HF_CHECK(!spec.watches.empty() && reconciler_);
  shared.metrics.workers(spec.name, spec.workers, 0);
}

bool Controller::Body::synced() const {
  if (synced_) return true;
  for (const Caches::Cache& each : caches_.in_order())
    if (!each.informer->synced()) return false;
  synced_ = true;
  return true;
}

std::vector<Unheard> Controller::Body::unheard() const {
  std::vector<Unheard> out;
  for (const Caches::Cache& each : caches_.in_order()) {
    kube::Reflector::Trouble trouble = shared.informers.trouble(*each.informer);
    const bool refused = trouble.code == 403 || trouble.code == 404;
    if (!each.informer->synced() || refused)
      out.push_back({each.informer->scope(), std::move(trouble)});
  }
  return out;
}

void Controller::Body::listen(const std::shared_ptr<Body>& self) {
  const auto& caches = self->caches_.in_order();
  for (size_t i = 0; i < caches.size(); ++i) {
    kube::Informer* informer = caches[i].informer;
    informer->on_change([weak = std::weak_ptr(self), i](const kube::Change& change) {
      if (const auto body = weak.lock()) body->changed(body->spec.watches[i], change);
    });
    informer->on_progress([weak = std::weak_ptr(self), informer](uint64_t) {
      const auto body = weak.lock();
      if (!body) return;
      for (const auto& key : body->gate_.opened_by(*informer))
        body->queue.add(key, body->shared.clock.mono());
    });
  }
}

void Controller::Body::changed(const Watch& watch, const kube::Change& change) {
  if (watch.when && !watch.when(change)) return;
  const Keys keys = watch.lookup ? watch.lookup(change, shared.informers) : watch.map(change);
  for (const auto& key : keys) enqueue(key, change.initial ? kLowPriority : kNormalPriority);
}

void Controller::Body::enqueue(const kube::Key& key, int priority) {
  if (queue.add(key, shared.clock.mono(), priority)) shared.metrics.queued(spec.name);
}

std::string Controller::Body::text(const kube::Key& key) const {
  return fmt::format("{}: {} {}", spec.name, spec.watches.front().scope.resource.text(),
                     key.text());
}

void Controller::Body::work(const Queue::Work& work) {
  const MonoTime begin = shared.clock.mono();
  shared.metrics.depth(spec.name, queue.depth(begin));
  if (!held_back(work)) {
    shared.metrics.waited(spec.name, begin - work.queued);
    shared.metrics.workers(spec.name, spec.workers, ++active_);
    const Ended how = pass(work.key);
    const MonoTime took = shared.clock.mono() - begin;
    shared.metrics.workers(spec.name, spec.workers, --active_);
    shared.metrics.pass_ended(spec.name, how, took);
    if (spec.pass_limit.count() > 0 && took > spec.pass_limit) {
      shared.metrics.overran(spec.name);
      log::warn(fmt::format("{}: the pass took {} ms, {} are expected at most", text(work.key),
                            took.count() / 1000, spec.pass_limit.count()));
    }
  }
  queue.done(work.key, shared.clock.mono());
}

bool Controller::Body::held_back(const Queue::Work& work) {
  const MonoTime now = shared.clock.mono();
  if (const auto left = gate_.held(work.key, now)) {
    queue.add_after(work.key, now, *left, work.priority);
    return true;
  }
  if (sabotage().no_gate) return false;
  if (auto what = gate_.unanswered(work.key); what && !learn_what_is_there(work.key, *what))
    return true;
  const auto delay = gate_.closed(work.key);
  if (delay) queue.add_after(work.key, now, *delay, work.priority);
  return delay.has_value();
}

bool Controller::Body::learn_what_is_there(const kube::Key& key, const Gate::Unanswered& what) {
  auto there = sending_once(shared.client).get(what.resource, what.object.ns, what.object.name);
  if (!there && !there.error().not_found()) {
    const auto delay = queue.retry(key, shared.clock.mono(), there.error().retry_after);
    log::debug(fmt::format(
        "{}: a write to {} {} failed or got no answer, and what is there cannot be read: "
        "{} (again in {} ms)",
        text(key), what.resource.text(), what.object.text(), there.error().error.what(),
        delay.count() / 1000));
    return false;
  }
  hold_until_told(key, what, there);
  gate_.answered(key);
  return true;
}

void Controller::Body::hold_until_told(const kube::Key& key, const Gate::Unanswered& what,
                                       const kube::Reply<model::Value>& there) {
  std::vector<Barrier> barriers;
  if (there) {
    const model::Value& object = *there;
    for (kube::Informer* informer : caches_.told_of(what.resource, object))
      barriers.push_back({informer, version_of(object), "", {}});
  } else {
    for (kube::Informer* informer : caches_.of(what.resource, what.object.ns))
      barriers.push_back({informer, 0, what.uid, what.object});
  }
  gate_.close(key, std::move(barriers));
}

Metrics::Ended Controller::Body::pass(const kube::Key& key) {
  std::shared_ptr<const kube::Failure> refusal;
  {
    const Lock lock(mutex_);
    if (auto found = troubles_.find(key); found != troubles_.end()) refusal = found->second.refusal;
  }
  CachedPass pass(key, caches_, shared.client, shared.clock.now(), refusal.get());
  Decided by{spec.name, key, ++passes_, ""};
  std::string what = "not an exception of the standard library";
  try {
    Result<Outcome> outcome = reconciler_->reconcile(pass);
    if (!outcome) return failed(key, outcome.error(), by);
    if (shared.say_basis) by.basis = pass.basis();
    return conclude(key, outcome.take(), by);
  } catch (const std::exception& caught) {
    what = caught.what();
  } catch (...) {
    // Whatever it was, it costs this key one retry and nobody else anything.
  }
  shared.metrics.retried(spec.name);
  const auto delay = queue.retry(key, shared.clock.mono());
  log::error(fmt::format("{}: exception in a pass: {} (will retry in {} ms)", text(key), what,
                         delay.count() / 1000));
  return Ended::Exception;
}

Metrics::Ended Controller::Body::failed(const kube::Key& key, const Error& error,
                                        const Decided& by) {
  // Rights come back, and kinds that were not served; nothing that is watched tells of it.
  const bool comes_back = error.fault() == Fault::Denied || error.fault() == Fault::NotFound;
  if (!error.transient() && !comes_back) {
    log::error(fmt::format("{}: {}", text(key), error.what()));
    tell_wait(key, Outcome::done());
    rest(key);
    return Ended::TerminalError;
  }
  shared.metrics.retried(spec.name);
  const auto delay =
      queue.retry(key, shared.clock.mono(), {}, comes_back ? kLongestRefused : kLongestAway);
  if (comes_back) {
    const char* reason = error.fault() == Fault::Denied ? "Forbidden" : "NotFound";
    refusals_.refused(key, {"", reason, error.what()}, shared.clock.mono());
    tell_refusal(key, by, delay);
  }
  const auto level = error.fault() == Fault::Conflict ? log::Level::Debug : log::Level::Warn;
  log::write(level, fmt::format("{}: {} (will retry in {} ms)", text(key), error.what(),
                                delay.count() / 1000));
  return Ended::Error;
}

Metrics::Ended Controller::Body::conclude(const kube::Key& key, Outcome outcome,
                                          const Decided& by) {
  for (const Note& each : outcome.notes) note(key, each);
  if (outcome.kind != Outcome::Kind::Act) {
    tell_wait(key, outcome);
    refusals_.rested(key);
    if (const auto well = refusals_.take_back(subject_of(key))) return write(key, *well, by);
  }
  switch (outcome.kind) {
    case Outcome::Kind::Act:
      return act(key, outcome, by);
    case Outcome::Kind::Wait:
      rest(key);
      if (outcome.again.count() <= 0) return Ended::Success;
      queue.add_after(key, shared.clock.mono(), outcome.again);
      return Ended::RequeueAfter;
    case Outcome::Kind::Done:
      journal_.forget(key);
      break;
    case Outcome::Kind::Stop:
      journal_.forget(key);
      log::info(fmt::format("{}: stopped: {}: {}", text(key), outcome.reason, outcome.message));
      break;
  }
  rest(key);
  return Ended::Success;
}

void Controller::Body::tell_wait(const kube::Key& key, const Outcome& outcome) {
  const bool waits = outcome.kind == Outcome::Kind::Wait;
  if (!waits_.tell(key, waits ? outcome.reason : "", outcome.message) || !waits) return;
  // What has nothing to say but its name is the usual course.
  log::write(outcome.message.empty() ? log::Level::Debug : log::Level::Info,
             fmt::format("{}: waits: {}{}{}", text(key), outcome.reason,
                         outcome.message.empty() ? "" : ": ", outcome.message));
}

void Controller::Body::rest(const kube::Key& key) {
  queue.forget(key);
  restlessness_.rested(key);
  const Lock lock(mutex_);
  troubles_.erase(key);
}

kube::Cached Controller::Body::subject_of(const kube::Key& key) const {
  for (const kube::Informer* informer : caches_.of(spec.watches.front().scope.resource, key.ns))
    if (kube::Cached found = informer->get(key.ns, key.name)) return found;
  return {};
}

void Controller::Body::note(const kube::Key& key, const Note& note) {
  if (const kube::Cached about = subject_of(key))
    shared.events.record(spec.name, spec.watches.front().scope.resource, about, note);
}

}  // namespace holdfast::control
