#include <holdfast/control/queue.h>

#include <tuple>
#include <utility>

namespace holdfast::control {

namespace {

constexpr std::chrono::microseconds kFirstRetry = std::chrono::milliseconds(5);
constexpr std::chrono::microseconds kLongestRetry = std::chrono::seconds(1000);
/// 5 ms doubled this often is past the longest pause.
constexpr int kDoublings = 18;

std::chrono::microseconds back_off(int retries) {
  return std::min(kFirstRetry * (int64_t{1} << std::min(retries, kDoublings)), kLongestRetry);
}

}  // namespace

bool Queue::ByPriority::operator()(const Items::value_type* a, const Items::value_type* b) const {
  const Item &x = a->second, &y = b->second;
  return std::tuple(-x.priority, x.ready, x.order) < std::tuple(-y.priority, y.ready, y.order);
}

bool Queue::ByTime::operator()(const Items::value_type* a, const Items::value_type* b) const {
  const Item &x = a->second, &y = b->second;
  return std::tuple(x.ready, x.order) < std::tuple(y.ready, y.order);
}

void Queue::link(Items::value_type& entry) {
  if (entry.second.ready <= promoted_)
    ready_.insert(&entry);
  else
    delayed_.insert(&entry);
}

void Queue::unlink(Items::value_type& entry) {
  if (entry.second.ready <= promoted_)
    ready_.erase(&entry);
  else
    delayed_.erase(&entry);
}

void Queue::promote(MonoTime now) {
  if (now <= promoted_) return;
  promoted_ = now;
  while (!delayed_.empty() && (*delayed_.begin())->second.ready <= now) {
    ready_.insert(*delayed_.begin());
    delayed_.erase(delayed_.begin());
  }
}

bool Queue::put(const kube::Key& key, Item wanted) {
  Items& items = working_.contains(key) ? again_ : queued_;
  auto [at, added] = items.try_emplace(key, wanted);
  Item& item = at->second;
  if (added) {
    item.order = ++arrivals_;
    if (&items == &queued_) link(*at);
    return true;
  }
  if (wanted.priority <= item.priority && wanted.ready >= item.ready) return false;
  if (&items == &queued_) unlink(*at);
  item.priority = std::max(item.priority, wanted.priority);
  item.ready = std::min(item.ready, wanted.ready);
  if (&items == &queued_) link(*at);
  return false;
}

bool Queue::add(const kube::Key& key, MonoTime now, int priority) {
  return add_after(key, now, {}, priority);
}

bool Queue::add_after(const kube::Key& key, MonoTime now, std::chrono::microseconds delay,
                      int priority) {
  bool added = false;
  Waker waker;
  {
    Lock lock(mutex_);
    added = put(key, {priority, now + std::max(delay, {}), 0});
    waker = waker_;
  }
  if (waker) (*waker)();
  return added;
}

std::chrono::microseconds Queue::retry(const kube::Key& key, MonoTime now,
                                       std::chrono::microseconds at_least,
                                       std::chrono::microseconds at_most) {
  std::chrono::microseconds delay{};
  {
    Lock lock(mutex_);
    delay = std::max(std::min(back_off(retries_[key]++), at_most), at_least);
  }
  add_after(key, now, delay);
  return delay;
}

void Queue::forget(const kube::Key& key) {
  Lock lock(mutex_);
  retries_.erase(key);
}

int Queue::retries(const kube::Key& key) const {
  Lock lock(mutex_);
  auto found = retries_.find(key);
  return found == retries_.end() ? 0 : found->second;
}

std::optional<Queue::Work> Queue::take(Items::iterator entry) {
  unlink(*entry);
  auto node = queued_.extract(entry);
  Work work{node.key(), node.mapped().priority, node.mapped().ready};
  working_.insert(std::move(node));
  return work;
}

std::optional<Queue::Work> Queue::take(MonoTime now) {
  Lock lock(mutex_);
  promote(now);
  if (ready_.empty()) return {};
  return take(queued_.find((*ready_.begin())->first));
}

std::optional<Queue::Work> Queue::take(const kube::Key& key, MonoTime now) {
  Lock lock(mutex_);
  promote(now);
  auto found = queued_.find(key);
  if (found == queued_.end() || found->second.ready > now) return {};
  return take(found);
}

std::vector<kube::Key> Queue::ready(MonoTime now) const {
  Lock lock(mutex_);
  auto all = ready_;
  for (const auto* entry : delayed_)
    if (entry->second.ready <= now) all.insert(entry);
  std::vector<kube::Key> keys;
  keys.reserve(all.size());
  for (const auto* entry : all) keys.push_back(entry->first);
  return keys;
}

void Queue::done(const kube::Key& key, MonoTime now) {
  Waker waker;
  {
    Lock lock(mutex_);
    working_.erase(key);
    auto again = again_.extract(key);
    if (again.empty()) return;
    promote(now);
    link(*queued_.insert(std::move(again)).position);
    waker = waker_;
  }
  if (waker) (*waker)();
}

std::optional<MonoTime> Queue::due() const {
  Lock lock(mutex_);
  std::optional<MonoTime> first;
  // Ordered by priority first, so the longest ready one need not stand at the head; any will do.
  if (!ready_.empty()) first = (*ready_.begin())->second.ready;
  if (!delayed_.empty() && !first) first = (*delayed_.begin())->second.ready;
  return first;
}

size_t Queue::depth() const {
  Lock lock(mutex_);
  return queued_.size();
}

size_t Queue::depth(MonoTime now) const {
  Lock lock(mutex_);
  size_t count = ready_.size();
  for (const auto* entry : delayed_) {
    if (entry->second.ready > now) break;
    ++count;
  }
  return count;
}

void Queue::set_waker(std::function<void()> waker) {
  Lock lock(mutex_);
  waker_ = std::make_shared<const std::function<void()>>(std::move(waker));
}

}  // namespace holdfast::control
