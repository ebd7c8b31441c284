#include "store/past.h"

#include <algorithm>

namespace holdfast::apiserver::storage {

Past::Past(const Collection* resource, const Range& range) : range_(range) {
  if (!resource) return;
  const auto [first, last] = bounds(resource->objects, range);
  resource->objects.take(first, resource->objects.rank(last) - resource->objects.rank(first),
                         today_);
}

void Past::set(const std::string& ns, const std::string& name, Was was) {
  if (range_.ns && ns != *range_.ns) return;
  const bool from_beginning = range_.from_ns.empty() && range_.from_name.empty();
  if (!from_beginning && compare_keys(ns, name, range_.from_ns, range_.from_name) < 0) return;
  changed_[{ns, name}] = std::move(was);
}

void Past::take_back(const std::string& ns, const std::string& name, StoredPtr before) {
  set(ns, name, {.object = std::move(before)});
}

void Past::take_back(const std::string& ns, const std::string& name, Revision before) {
  set(ns, name, {.object = nullptr, .in_log = before});
}

/// Both sides are in listing order; on a key that is in both, the past wins.
std::vector<Past::Item> Past::items() const {
  std::vector<Item> out;
  out.reserve(today_.size() + changed_.size());
  auto change = changed_.begin();
  const auto add_change = [&] {
    if (change->second.exists())
      out.push_back({&change->first.first, &change->first.second, change->second});
    ++change;
  };
  for (const StoredPtr& object : today_) {
    const model::Meta& meta = object->meta;
    int order = 1;
    while (change != changed_.end() &&
           (order = compare_keys(change->first.first, change->first.second, meta.ns, meta.name)) <
               0)
      add_change();
    if (change != changed_.end() && order == 0) {
      add_change();
    } else {
      out.push_back({&meta.ns, &meta.name, {.object = object}});
    }
  }
  while (change != changed_.end()) add_change();
  return out;
}

Result<Page> Past::page(const Fetch& fetch) const {
  const std::vector<Item> all = items();
  const size_t some = range_.limit == 0 ? all.size() : std::min(all.size(), range_.limit);
  Page page;
  page.revision = range_.at;
  page.items.reserve(some);
  for (size_t i = 0; i < some; ++i) {
    const Was& was = all[i].was;
    StoredPtr object = was.object;
    if (!object) object = HF_TRY(fetch(was.in_log));
    page.items.push_back(std::move(object));
  }
  if (some < all.size()) {
    page.more = true;
    page.next_ns = *all[some].ns;
    page.next_name = *all[some].name;
    page.remaining = static_cast<int64_t>(all.size() - some);
  }
  return page;
}

}  // namespace holdfast::apiserver::storage
