#include <holdfast/protect/cut/held_pods.h>

namespace holdfast::protect {

bool HeldPods::take(const std::string& owner, const std::vector<PodRecord>& pods) {
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
}

}  // namespace holdfast::protect
