#include <holdfast/base/log.h>
#include <holdfast/control/elector.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

namespace holdfast::control {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Followers come back after up to this much of the retry time more, so that they do not all ask
/// at once when a lease ends.
constexpr double kJitter = 1.2;

std::string_view holder_of(const model::Value& lease) {
  return model::string_at(lease, {"spec", "holderIdentity"});
}

milliseconds length_of(const model::Value& lease) {
  const seconds said(model::int_at(lease, {"spec", "leaseDurationSeconds"}, 0));
  return std::min<milliseconds>(said, kLongestLease);
}

int64_t epoch_of(const model::Value& lease) {
  return model::int_at(lease, {"spec", "leaseTransitions"}, 0);
}

}  // namespace

Elector::Elector(ElectorSettings settings, kube::Client& client, const Clock& clock, Random& random)
    : settings_(std::move(settings)), client_(client), clock_(clock), random_(random) {
  // A leader must have given up before its lease ends, and try more than once until then.
  HF_CHECK(settings_.lease > settings_.renew_within && settings_.renew_within > settings_.retry);
  HF_CHECK(settings_.lease <= kLongestLease);
  HF_CHECK(!settings_.identity.empty());
}

MonoTime Elector::due() const {
  const Lock lock(mutex_);
  return due_;
}

Elector::State Elector::state() const {
  const Lock lock(mutex_);
  return state_;
}

std::string Elector::leader() const {
  const Lock lock(mutex_);
  return leader_;
}

std::string Elector::loss() const {
  const Lock lock(mutex_);
  return loss_;
}

Fence& Elector::fence() { return fence_; }

/// Each try is one request: a retry inside the client would outlive the moment it was decided at.
kube::Client Elector::once() const {
  kube::ClientSettings settings = client_.settings();
  settings.tries = 1;
  settings.timeout =
      std::min(settings.timeout, std::max<milliseconds>(seconds(1), settings_.renew_within / 2));
  return client_.with(client_.transport(), std::move(settings));
}

bool Elector::held_by_us(const model::Value& lease) const {
  return holder_of(lease) == settings_.identity;
}

void Elector::observe(model::Value lease, MonoTime when) {
  if (!seen_ || !model::equal(seen_->lease, lease)) {
    const Lock lock(mutex_);
    if (holder_of(lease) != leader_) {
      leader_ = holder_of(lease);
      if (!leader_.empty())
        log::info(fmt::format("lease {}/{} is held by {}", settings_.ns, settings_.name, leader_));
    }
    seen_ = Seen{std::move(lease), when};
  }
  stale_ = false;
}

model::Value Elector::wanted(const model::Value& lease, bool again) const {
  model::Value out = lease;
  model::ensure_object(out, {})["apiVersion"] = kube::kLeases.api_version();
  model::ensure_object(out, {})["kind"] = "Lease";
  auto& meta = model::ensure_object(out, {"metadata"});
  meta["name"] = settings_.name;
  meta["namespace"] = settings_.ns;
  auto& spec = model::ensure_object(out, {"spec"});
  const std::string now = model::to_rfc3339_micro(clock_.now());
  if (!again) spec["acquireTime"] = now;
  spec["leaseTransitions"] = again || lease.is_null() ? epoch_of(lease) : epoch_of(lease) + 1;
  spec["holderIdentity"] = settings_.identity;
  // Never shorter than the fence believes.
  spec["leaseDurationSeconds"] = std::chrono::ceil<seconds>(settings_.lease).count();
  spec["renewTime"] = now;
  return out;
}

bool Elector::write_lease(const model::Value& lease, bool exists) {
  kube::Client client = once();
  const int64_t epoch = epoch_of(lease);
  const MonoTime sent = clock_.mono();
  auto answer = exists ? client.update(kube::kLeases, lease)
                       : client.create(kube::kLeases, settings_.ns, lease);
  if (!answer) {
    stale_ = true;
    tell("write", answer.error().error);
    return false;
  }
  told_.clear();
  observe(answer.take(), clock_.mono());
  lead(epoch, sent);
  return true;
}

/// Once, until it changes: without its lease an operator does nothing at all. That another
/// candidate was faster is the usual course.
void Elector::tell(std::string_view what, const Error& error) {
  std::string text =
      fmt::format("{} lease {}/{}: {}", what, settings_.ns, settings_.name, error.what());
  const bool news = error.fault() != Fault::Conflict && text != told_;
  log::write(news ? log::Level::Warn : log::Level::Debug, text + " (is tried again)");
  if (news) told_ = std::move(text);
}

void Elector::lead(int64_t epoch, MonoTime sent) {
  renewed_ = sent;
  fence_.move(sent + settings_.lease, epoch);
  const Lock lock(mutex_);
  if (state_ == State::Following)
    log::info(fmt::format("lease {}/{} is ours, epoch {}", settings_.ns, settings_.name, epoch));
  state_ = State::Leading;
}

bool Elector::hold() {
  const bool leading = state() == State::Leading;
  if (leading && !stale_ && seen_) return write_lease(wanted(seen_->lease, true), true);
  auto lease = once().get(kube::kLeases, settings_.ns, settings_.name);
  const MonoTime now = clock_.mono();
  if (!lease && lease.error().not_found()) return write_lease(wanted({}, false), false);
  if (!lease) {
    tell("read", lease.error().error);
    return false;
  }
  observe(lease.take(), now);
  const bool ours = held_by_us(seen_->lease);
  const bool valid = seen_->since + length_of(seen_->lease) > now;
  if (!ours && leading) {
    const std::string_view holder = holder_of(seen_->lease);
    lose(holder.empty() ? std::string("its holder was taken out of it")
                        : fmt::format("it is held by \"{}\"", holder));
    return false;
  }
  if (!ours && !holder_of(seen_->lease).empty() && valid) return false;
  return write_lease(wanted(seen_->lease, ours), true);
}

void Elector::lose(const std::string& why) {
  fence_.close();
  const Lock lock(mutex_);
  if (state_ == State::Lost) return;
  log::error(fmt::format("lease {}/{} is lost: {}", settings_.ns, settings_.name, why));
  state_ = State::Lost;
  loss_ = why;
}

void Elector::step() {
  const MonoTime now = clock_.mono();
  if (state() == State::Lost || now < due()) return;
  const bool was_leading = state() == State::Leading;
  auto overdue = [&] { return clock_.mono() - renewed_ >= settings_.renew_within; };
  const std::string late = fmt::format("not renewed within {} ms", settings_.renew_within.count());
  if (was_leading && overdue()) return lose(late);
  const bool held = hold();
  if (was_leading && !held && overdue()) return lose(late);
  std::chrono::microseconds pause = settings_.retry;
  if (!held && !was_leading) {
    const auto most = static_cast<uint64_t>(double(pause.count()) * kJitter);
    pause += std::chrono::microseconds(random_.below(most + 1));
  }
  const Lock lock(mutex_);
  due_ = clock_.mono() + pause;
}

void Elector::release() {
  if (state() != State::Leading) return;
  fence_.close();
  kube::Client client = once();
  auto lease = client.get(kube::kLeases, settings_.ns, settings_.name);
  if (lease && held_by_us(*lease)) {
    auto& spec = model::ensure_object(*lease, {"spec"});
    const std::string now = model::to_rfc3339_micro(clock_.now());
    spec["holderIdentity"] = "";
    spec["leaseDurationSeconds"] = 1;
    spec["acquireTime"] = now;
    spec["renewTime"] = now;
    auto answer = client.update(kube::kLeases, *lease);
    if (!answer)
      log::warn(fmt::format("release lease {}/{}: {}", settings_.ns, settings_.name,
                            answer.error().error.what()));
  }
  const Lock lock(mutex_);
  state_ = State::Lost;
}

}  // namespace holdfast::control
