#include "loop/gate.h"

#include <algorithm>
#include <utility>

namespace holdfast::control {

namespace {

constexpr std::chrono::microseconds kFirstLook = std::chrono::milliseconds(10);
constexpr std::chrono::microseconds kLongestLook = std::chrono::seconds(1);
constexpr int kDoublings = 7;

}  // namespace

bool Barrier::passed() const {
  if (informer->progress() < version) return false;
  if (deleted_uid.empty()) return true;
  const kube::Cached object = informer->get(deleted.ns, deleted.name);
  return !object || object.uid() != deleted_uid || object.being_deleted();
}

void Gate::close(const kube::Key& key, std::vector<Barrier> barriers) {
  const Lock lock(mutex_);
  for (auto& barrier : barriers) {
    if (barrier.version > 0) by_version_[barrier.informer].emplace(barrier.version, key);
    waiting_[key].barriers.push_back(std::move(barrier));
  }
}

void Gate::hold(const kube::Key& key, MonoTime until) {
  const Lock lock(mutex_);
  held_until_.insert_or_assign(key, until);
}

std::optional<std::chrono::microseconds> Gate::held(const kube::Key& key, MonoTime now) {
  const Lock lock(mutex_);
  auto found = held_until_.find(key);
  if (found == held_until_.end()) return {};
  if (found->second > now) return found->second - now;
  held_until_.erase(found);
  return {};
}

std::optional<std::chrono::microseconds> Gate::closed(const kube::Key& key) {
  const Lock lock(mutex_);
  auto found = waiting_.find(key);
  if (found == waiting_.end()) return {};
  auto& [barriers, looked] = found->second;
  std::erase_if(barriers, [](const Barrier& each) { return each.passed(); });
  if (!barriers.empty())
    return std::min(kFirstLook * (1 << std::min(looked++, kDoublings)), kLongestLook);
  waiting_.erase(found);
  return {};
}

std::vector<kube::Key> Gate::opened_by(const kube::Informer& informer) {
  std::vector<kube::Key> keys;
  const Lock lock(mutex_);
  auto found = by_version_.find(&informer);
  if (found == by_version_.end()) return keys;
  auto& versions = found->second;
  const uint64_t progress = informer.progress();
  while (!versions.empty() && versions.begin()->first <= progress) {
    if (waiting_.contains(versions.begin()->second)) keys.push_back(versions.begin()->second);
    versions.erase(versions.begin());
  }
  if (versions.empty()) by_version_.erase(found);
  return keys;
}

void Gate::unanswered(const kube::Key& key, Unanswered what) {
  const Lock lock(mutex_);
  unanswered_.insert_or_assign(key, std::move(what));
}

std::optional<Gate::Unanswered> Gate::unanswered(const kube::Key& key) const {
  const Lock lock(mutex_);
  auto found = unanswered_.find(key);
  if (found == unanswered_.end()) return {};
  return found->second;
}

void Gate::answered(const kube::Key& key) {
  const Lock lock(mutex_);
  unanswered_.erase(key);
}

}  // namespace holdfast::control
