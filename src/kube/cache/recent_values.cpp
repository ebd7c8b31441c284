#include "cache/recent_values.h"

namespace holdfast::kube {
namespace {

constexpr size_t kMostText = 256 << 10;
constexpr size_t kLargest = kMostText / 4;  // one huge object must not drive out all the others
constexpr size_t kMostEntries = 64;

}  // namespace

std::shared_ptr<const model::Value> RecentValues::get(const Cached& object) {
  for (const Entry& entry : entries_)
    if (entry.object.record_ == object.record_) return entry.value;
  auto value = std::make_shared<const model::Value>(object.value());
  const size_t size = object.text().size();
  if (size == 0 || size > kLargest) return value;
  while (entries_.size() == kMostEntries || text_ + size > kMostText) {
    text_ -= entries_.front().object.text().size();
    entries_.pop_front();
  }
  entries_.push_back({object, value});
  text_ += size;
  return value;
}

}  // namespace holdfast::kube
