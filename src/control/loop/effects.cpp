// Effect of a pass: sent or run, and what the key does then.
#include <holdfast/base/log.h>
#include <holdfast/control/sabotage.h>

#include "loop/body.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast::control {

namespace {

using namespace std::chrono_literals;

/// The fence opens again with the next renewal, if ever.
constexpr std::chrono::microseconds kFencedPause = 1s;

/// The words of kubectl describe for a write that failed.
std::string_view failed_reason(Write::Verb verb) {
  switch (verb) {
    case Write::Verb::Create:
      return "FailedCreate";
    case Write::Verb::Update:
    case Write::Verb::Patch:
    case Write::Verb::Apply:
      return "FailedUpdate";
    case Write::Verb::Delete:
      return "FailedDelete";
  }
  return "";
}

}  // namespace

uint64_t version_of(const model::Value& object) {
  const std::string_view text = model::string_at(object, {"metadata", "resourceVersion"});
  uint64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

Metrics::Ended Controller::Body::act(const kube::Key& key, const Outcome& outcome,
                                     const Decided& by) {
  HF_CHECK(outcome.asked().empty());
  if (const Operation* operation = outcome.operation()) return operate(key, *operation, by);
  HF_CHECK(outcome.write());
  return write(key, *outcome.write(), by);
}

Metrics::Ended Controller::Body::write(const kube::Key& key, const Write& write,
                                       const Decided& by) {
  return after_write(key, write, send(shared, write, by), by);
}

Metrics::Ended Controller::Body::after_write(const kube::Key& key, const Write& write, Sent sent,
                                             const Decided& by) {
  using How = Sent::How;
  switch (sent.how) {
    case How::Done:
      return acted(key, write, sent.answer);
    case How::Fenced:
      log::debug(fmt::format("{}: {}: not sent, the lease may end first", text(key), write.text()));
      queue.add_after(key, shared.clock.mono(), kFencedPause);
      return Ended::Requeue;
    case How::Overtaken: {
      // Our cache is behind the server: until it has caught up, every pass would decide the same.
      gate_.unanswered(key, {write.resource, write.key, write.only.uid});
      shared.metrics.retried(spec.name);
      const auto delay = queue.retry(key, shared.clock.mono());
      log::debug(fmt::format("{}: {}: {} (will look again in {} ms)", text(key), write.text(),
                             sent.failure->error.what(), delay.count() / 1000));
      return Ended::Requeue;
    }
    case How::Refused:
      return refused(key, write, std::move(*sent.failure), by);
    case How::Unanswered:
      gate_.unanswered(key, {write.resource, write.key, write.only.uid});
      return unavailable(key, write, *sent.failure);
    case How::Unavailable:
      return unavailable(key, write, *sent.failure);
  }
  return Ended::Error;
}

Metrics::Ended Controller::Body::acted(const kube::Key& key, const Write& write,
                                       const model::Value& answer) {
  bool well = true;
  {
    const Lock lock(mutex_);
    if (auto found = troubles_.find(key); found != troubles_.end()) {
      well = false;
      found->second.refusal.reset();
      if (!found->second.operation_failed) troubles_.erase(found);
    }
  }
  if (well) queue.forget(key);
  refusals_.accepted(key, write.text());
  gate_.close(key, barriers(write, answer));
  if (write.note) note(key, *write.note);
  const MonoTime now = shared.clock.mono();
  const int count = restlessness_.wrote(key, write.text(), now);
  if (count <= Restlessness::kMostWrites) {
    come_back(key);
    return Ended::Requeue;
  }
  const auto delay = queue.retry(key, now, 1s);
  gate_.hold(key, now + delay);
  if (count == Restlessness::kMostWrites + 1)
    log::warn(
        fmt::format("{}: {}: written {} times within a minute without coming to rest; "
                    "slowing down to every {} ms",
                    text(key), write.text(), count, delay.count() / 1000));
  return Ended::Requeue;
}

void Controller::Body::come_back(const kube::Key& key) {
  const MonoTime now = shared.clock.mono();
  const auto delay = sabotage().no_gate ? std::nullopt : gate_.closed(key);
  queue.add_after(key, now, delay.value_or(0us));
}

std::vector<Barrier> Controller::Body::barriers(const Write& write,
                                                const model::Value& answer) const {
  std::vector<Barrier> barriers;
  const uint64_t version = version_of(answer);
  if (write.verb == Write::Verb::Delete) {
    // The answer is the object as it goes, or only says that it is gone.
    for (kube::Informer* informer : caches_.of(write.resource, write.key.ns))
      barriers.push_back({informer, version, write.only.uid, write.key});
    return barriers;
  }
  if (version == 0) return barriers;
  for (kube::Informer* informer : caches_.told_of(write.resource, answer))
    barriers.push_back({informer, version, "", {}});
  return barriers;
}

Metrics::Ended Controller::Body::refused(const kube::Key& key, const Write& write,
                                         kube::Failure failure, const Decided& by) {
  Note why = write.refused.value_or(Note{true, std::string(failed_reason(write.verb)),
                                         fmt::format("could not {}", write.text()),
                                         std::string(failed_reason(write.verb)).substr(6)});
  // In an event the server's own words stand alone, as the real controllers have it.
  const std::string_view words = model::string_at(failure.status, {"message"});
  Note told = why;
  told.message += fmt::format(": {}", words.empty() ? failure.error.what() : words);
  note(key, told);
  refusals_.refused(
      key,
      {write.text(), failure.reason.empty() ? "Refused" : failure.reason,
       fmt::format("{}: {}", write.text(), words.empty() ? failure.error.what() : words)},
      shared.clock.mono());
  why.message += fmt::format(": {}", failure.error.what());
  shared.metrics.retried(spec.name);
  const auto delay = queue.retry(key, shared.clock.mono(), failure.retry_after, kLongestRefused);
  log::warn(
      fmt::format("{}: {} (will retry in {} ms)", text(key), why.message, delay.count() / 1000));
  {
    const Lock lock(mutex_);
    troubles_[key].refusal = std::make_shared<const kube::Failure>(std::move(failure));
  }
  tell_refusal(key, by, delay);
  return Ended::Error;
}

void Controller::Body::tell_refusal(const kube::Key& key, const Decided& by,
                                    std::chrono::microseconds delay) {
  const auto word = refusals_.tell(key, subject_of(key), shared.clock.now(), shared.clock.mono());
  if (!word) return;
  const Sent sent = send(shared, *word, by);
  if (sent.how == Sent::How::Done) {
    gate_.close(key, barriers(*word, sent.answer));
    gate_.hold(key, shared.clock.mono() + delay);
    return;
  }
  // It is told with the next try.
  log::debug(fmt::format("{}: {}: {}", text(key), word->text(),
                         sent.failure ? sent.failure->error.what() : "not sent"));
}

Metrics::Ended Controller::Body::unavailable(const kube::Key& key, const Write& write,
                                             const kube::Failure& failure) {
  shared.metrics.retried(spec.name);
  const auto delay = queue.retry(key, shared.clock.mono(), failure.retry_after, kLongestAway);
  log::warn(fmt::format("{}: {}: {} (will retry in {} ms)", text(key), write.text(),
                        failure.error.what(), delay.count() / 1000));
  return Ended::Error;
}

Metrics::Ended Controller::Body::operate(const kube::Key& key, const Operation& operation,
                                         const Decided& by) {
  if (operation.limit > std::max(spec.longest_operation, shared.client.settings().timeout))
    return failed(
        key,
        Error(Fault::Internal,
              fmt::format("operation {}: it may take {} ms, and its controller says "
                          "that none takes longer than {} ms",
                          operation.name, operation.limit.count(), spec.longest_operation.count())),
        by);
  const WallTime now = shared.clock.now();
  Journal::Next next = journal_.next(key, operation);
  if (next == Journal::Next::TakeOver) {
    if (!stands_as_seen(key, operation)) return Ended::Requeue;
    next = journal_.take_over(key, operation, now);
  }
  switch (next) {
    case Journal::Next::Intent:
      return write(key, journal_.intent(key, operation, now), by);
    case Journal::Next::Run:
      return run(key, operation, by);
    case Journal::Next::Outcome:
      return record_outcome(key, operation, by);
    case Journal::Next::TakeOver:
    case Journal::Next::Defect:
      break;
  }
  return failed(key,
                Error(Fault::Internal,
                      fmt::format("operation {}: attempt {} has been begun before; a new try "
                                  "has a new number",
                                  operation.name, operation.attempt)),
                by);
}

bool Controller::Body::stands_as_seen(const kube::Key& key, const Operation& operation) {
  const kube::Cached& owner = operation.owner;
  const kube::Key name = kube::key_of(owner);
  const auto there = sending_once(shared.client).get(operation.resource, name.ns, name.name);
  if (there && model::string_at(*there, {"metadata", "uid"}) == owner.uid() &&
      version_of(*there) == owner.version())
    return true;
  const std::string what = there ? "the cache is behind the server" : there.error().error.what();
  if (there || there.error().not_found())
    hold_until_told(key, {operation.resource, name, std::string(owner.uid())}, there);
  shared.metrics.retried(spec.name);
  const auto delay = queue.retry(key, shared.clock.mono());
  log::debug(
      fmt::format("{}: operation {}: begun by another process, not taken over: {} (will "
                  "look again in {} ms)",
                  text(key), operation.name, what, delay.count() / 1000));
  return false;
}

Metrics::Ended Controller::Body::run(const kube::Key& key, const Operation& operation,
                                     const Decided& by) {
  std::chrono::microseconds limit = operation.limit;
  if (limit.count() <= 0) limit = shared.client.settings().timeout;
  if (!shared.fence.ask(shared.clock.mono(), limit).granted) {
    log::debug(fmt::format("{}: operation {}: not begun, the lease may end first", text(key),
                           operation.name));
    queue.add_after(key, shared.clock.mono(), kFencedPause);
    return Ended::Requeue;
  }
  journal_.begins(key);
  Result<model::Value> how = operation.run();
  journal_.ended(key, operation, std::move(how), shared.clock.now());
  return record_outcome(key, operation, by);
}

Metrics::Ended Controller::Body::record_outcome(const kube::Key& key, const Operation& operation,
                                                const Decided& by) {
  const Journal::Outcome outcome = journal_.outcome(key, operation);
  Sent sent = send(shared, outcome.write, by);
  if (sent.how != Sent::How::Done) return after_write(key, outcome.write, std::move(sent), by);
  journal_.forget(key);
  {
    const Lock lock(mutex_);
    if (outcome.failed)
      troubles_[key].operation_failed = true;
    else
      troubles_.erase(key);
  }
  if (!outcome.failed) return acted(key, outcome.write, sent.answer);
  gate_.close(key, barriers(outcome.write, sent.answer));
  shared.metrics.retried(spec.name);
  const MonoTime now = shared.clock.mono();
  const auto delay = queue.retry(key, now);
  gate_.hold(key, now + delay);
  log::warn(fmt::format("{}: operation {}: attempt {}: {} (will go on in {} ms)", text(key),
                        operation.name, operation.attempt, outcome.why, delay.count() / 1000));
  return Ended::Error;
}

}  // namespace holdfast::control
