#include "store/state.h"

#include <holdfast/base/result.h>

#include <algorithm>

namespace holdfast::apiserver::storage {
namespace {

/// A dead version is the `before` of exactly one change; a deletion made a text of its own.
size_t cost(const Slot& slot) {
  size_t bytes = sizeof(Slot);
  if (slot.before) bytes += sizeof(Stored) + slot.before->text.size();
  if (slot.type == ChangeType::Deleted) bytes += sizeof(Stored) + slot.object->text.size();
  return bytes;
}

}  // namespace

Collection& State::resource(const std::string& name) {
  const auto [at, made] = resources_.try_emplace(name);
  if (made) {
    at->second.name = name;
    at->second.dropped = start_;
  }
  return at->second;
}

const Collection* State::find(std::string_view name) const {
  const auto at = resources_.find(name);
  return at == resources_.end() ? nullptr : &at->second;
}

void State::apply(Collection& resource, Slot slot) {
  if (slot.type == ChangeType::Deleted) {
    resource.objects.erase(slot.object->meta.ns, slot.object->meta.name);
  } else {
    resource.objects.put(slot.object);
  }
  bytes_ += cost(slot);
  resource.ring.push_back(std::move(slot));
  order_.push_back(&resource);
}

Change State::undo() {
  HF_CHECK(!order_.empty());
  Collection& resource = *order_.back();
  order_.pop_back();
  const Slot slot = std::move(resource.ring.back());
  resource.ring.pop_back();
  bytes_ -= cost(slot);

  Change reverse = change_of(resource, slot);
  if (slot.type == ChangeType::Added) {
    resource.objects.erase(reverse.key.ns, reverse.key.name);
    reverse.type = ChangeType::Deleted;
    reverse.before = slot.object;
    return reverse;
  }
  resource.objects.put(slot.before);
  const bool revived = slot.type == ChangeType::Deleted;
  reverse.revision = slot.before->revision;
  reverse.type = revived ? ChangeType::Added : ChangeType::Modified;
  reverse.object = slot.before;
  reverse.before = revived ? nullptr : slot.object;
  return reverse;
}

Revision State::newest() const { return order_.empty() ? 0 : order_.back()->ring.back().revision; }

void State::drop_oldest() {
  Collection& resource = *order_.front();
  order_.pop_front();
  const Slot& slot = resource.ring.front();
  bytes_ -= cost(slot);
  dropped_ = resource.dropped = slot.revision;
  resource.ring.pop_front();
}

void State::trim(Revision upto) {
  while ((order_.size() > limits_.count || bytes_ > limits_.bytes) && !order_.empty() &&
         order_.front()->ring.front().revision <= upto) {
    drop_oldest();
  }
}

void State::drop(Revision upto) {
  while (!order_.empty() && order_.front()->ring.front().revision <= upto) drop_oldest();
}

Revision State::dropped(std::string_view resource) const {
  const Collection* found = find(resource);
  return found ? found->dropped : start_;
}

std::pair<Revision, int64_t> State::oldest_change() const {
  if (order_.empty()) return {0, 0};
  const Slot& slot = order_.front()->ring.front();
  return {slot.revision, slot.object->wall_us};
}

Change change_of(const Collection& resource, const Slot& slot) {
  return {.revision = slot.revision,
          .type = slot.type,
          .key = {resource.name, slot.object->meta.ns, slot.object->meta.name},
          .object = slot.object,
          .before = slot.before};
}

std::deque<Slot>::const_iterator first_after(const Collection& resource, Revision revision) {
  return std::partition_point(resource.ring.begin(), resource.ring.end(),
                              [&](const Slot& slot) { return slot.revision <= revision; });
}

std::pair<Shelf::Place, Shelf::Place> bounds(const Shelf& objects, const Range& range) {
  Shelf::Place first = objects.begin(), last = objects.end();
  if (range.ns) {
    first = objects.lower(*range.ns, "");
    last = objects.after_namespace(*range.ns);
  }
  if (!range.from_ns.empty() || !range.from_name.empty()) {
    const Shelf::Place from = objects.lower(range.from_ns, range.from_name);
    if (objects.rank(from) > objects.rank(first)) first = from;
    if (objects.rank(first) > objects.rank(last)) first = last;
  }
  return {first, last};
}

Page page_of(const Collection& resource, const Range& range) {
  const Shelf& objects = resource.objects;
  const auto [first, last] = bounds(objects, range);
  const size_t count = objects.rank(last) - objects.rank(first);
  const size_t some = range.limit == 0 ? count : std::min(count, range.limit);
  Page page;
  page.items.reserve(some);
  const Shelf::Place next = objects.take(first, some, page.items);
  if (some < count) {
    page.more = true;
    page.next_ns = objects.at(next)->meta.ns;
    page.next_name = objects.at(next)->meta.name;
    page.remaining = static_cast<int64_t>(count - some);
  }
  return page;
}

}  // namespace holdfast::apiserver::storage
