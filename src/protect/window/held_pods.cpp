#include <holdfast/protect/cut/held_pods.h>
#include <holdfast/protect/cut/owed.h>

namespace holdfast::protect {

using model::string_at;

std::string pod_owner(const kube::Resource& resource, const kube::Key& key) {
  return resource.text() + " " + key.text();
}

FindHolders find_holders(kube::Client& client, const kube::Resource& resource, const Clock& clock) {
  return [&client, resource, &clock]() -> Result<std::vector<PodHolder>> {
    std::vector<PodHolder> out;
    const auto listed = client.list(resource, "", {}, [&](const model::Value& object) {
      const kube::Key key{std::string(string_at(object, {"metadata", "namespace"})),
                          std::string(string_at(object, {"metadata", "name"}))};
      std::vector<PodRecord> pods = pods_kept(object, clock.now());
      if (!pods.empty()) out.push_back({pod_owner(resource, key), std::move(pods)});
      return true;
    });
    if (!listed) return listed.error().error.copy().with_context("look for pods that are quiesced");
    return out;
  };
}

void HeldPods::learn_from(FindHolders find) {
  const Lock lock(mutex_);
  unasked_.emplace(kinds_++, std::move(find));
}

/// The lock is not held while the server is asked, so several may ask; the first answer counts.
Result<void> HeldPods::learn() {
  std::map<int, FindHolders> unasked;
  {
    const Lock lock(mutex_);
    unasked = unasked_;
  }
  for (const auto& [kind, find] : unasked) {
    const std::vector<PodHolder> found = HF_TRY(find());
    const Lock lock(mutex_);
    if (unasked_.erase(kind) == 0) continue;
    for (const PodHolder& each : found)
      if (!released_.contains(each.owner))
        for (const PodRecord& pod : each.pods) holder_.try_emplace(pod.uid, each.owner);
    if (unasked_.empty()) released_.clear();
  }
  return {};
}

Result<bool> HeldPods::take(const std::string& owner, const std::vector<PodRecord>& pods) {
  if (pods.empty()) return true;
  HF_TRY(learn());
  const Lock lock(mutex_);
  for (const PodRecord& pod : pods)
    if (const auto found = holder_.find(pod.uid); found != holder_.end() && found->second != owner)
      return false;
  for (const PodRecord& pod : pods) holder_[pod.uid] = owner;
  return true;
}

void HeldPods::release(const std::string& owner) {
  const Lock lock(mutex_);
  std::erase_if(holder_, [&](const auto& each) { return each.second == owner; });
  if (!unasked_.empty()) released_.insert(owner);
}

}  // namespace holdfast::protect
