#include "server/expiry.h"

namespace holdfast::apiserver {
namespace {

constexpr std::string_view kEvents = "events";
constexpr int64_t kLifetimeUs = 3600LL * 1000 * 1000;
constexpr int kPerStep = 200;

}  // namespace

void Expiry::note(const Change& change) {
  if (change.key.resource != kEvents || change.type == ChangeType::Deleted) return;
  const Lock lock(mutex_);
  due_.emplace(change.object->wall_us + kLifetimeUs, Due{change.key, change.revision});
}

void Expiry::start(Api& api) {
  const Result<Page> page = api.store.list({.resource = std::string(kEvents),
                                            .ns = {},
                                            .from_ns = "",
                                            .from_name = "",
                                            .limit = 0,
                                            .at = 0});
  if (!page) return;
  const Lock lock(mutex_);
  for (const StoredPtr& event : page->items)
    due_.emplace(event->wall_us + kLifetimeUs,
                 Due{{std::string(kEvents), event->meta.ns, event->meta.name}, event->revision});
}

void Expiry::step(Api& api) {
  std::vector<Due> now_due;
  {
    const Lock lock(mutex_);
    const int64_t now = api.clock.now().time_since_epoch().count();
    while (!due_.empty() && due_.begin()->first <= now && now_due.size() < kPerStep) {
      now_due.push_back(std::move(due_.begin()->second));
      due_.erase(due_.begin());
    }
  }
  // An event written again meanwhile has a newer revision and its own entry: the remove then does
  // nothing.
  for (const Due& due : now_due) static_cast<void>(api.store.remove(due.key, due.revision));
}

}  // namespace holdfast::apiserver
