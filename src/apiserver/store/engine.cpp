#include "store/engine.h"

#include <holdfast/base/log.h>

#include "store/kept.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::storage {
namespace {

/// With no log behind it the ring is the whole history.
constexpr RingLimits kMemoryRing{.count = 65536, .bytes = 64u << 20};

std::string print(const Key& key) {
  return key.ns.empty() ? fmt::format("{} {}", key.resource, key.name)
                        : fmt::format("{} {}/{}", key.resource, key.ns, key.name);
}

Error conflict(const Key& key, Revision expected, const StoredPtr& found) {
  return {Fault::Conflict, fmt::format("write {}: expected revision {}, found {}", print(key),
                                       expected, found ? found->revision : 0)};
}

}  // namespace

Engine::Engine(const Clock& clock, RingLimits limits, std::unique_ptr<Journal> journal,
               Journal::Loaded&& loaded)
    : clock_(clock),
      journal_(std::move(journal)),
      state_(limits, loaded.newest),
      last_used_(loaded.newest),
      current_(loaded.newest),
      durable_(loaded.newest),
      oldest_(loaded.compacted) {
  for (auto& [name, objects] : loaded.objects)
    state_.resource(name).objects.fill(std::move(objects));
}

int64_t Engine::now_us() const { return clock_.now().time_since_epoch().count(); }

Revision Engine::current() const {
  Lock lock(mutex_);
  return current_;
}

Revision Engine::durable() const {
  Lock lock(mutex_);
  return durable_;
}

Revision Engine::oldest() const {
  Lock lock(mutex_);
  return oldest_;
}

StoredPtr Engine::get(const Key& key) const {
  Lock lock(mutex_);
  const Collection* resource = state_.find(key.resource);
  return resource ? resource->objects.find(key.ns, key.name) : nullptr;
}

size_t Engine::count(std::string_view resource) const {
  Lock lock(mutex_);
  const Collection* found = state_.find(resource);
  return found ? found->objects.size() : 0;
}

Result<StoredPtr> Engine::put(const Key& key, Revision expected, Draft draft) {
  StoredPtr written;
  {
    Lock lock(mutex_);
    Collection& resource = state_.resource(key.resource);
    StoredPtr before = resource.objects.find(key.ns, key.name);
    if ((before ? before->revision : 0) != expected) return conflict(key, expected, before);
    const Revision revision = ++last_used_;
    StoredPtr object =
        make_kept(key, revision, before ? before->created : revision, now_us(), std::move(draft));
    const ChangeType type = before ? ChangeType::Modified : ChangeType::Added;
    written = decide(resource, {revision, type, std::move(object), std::move(before)});
  }
  if (!journal_) announcer_.run();
  return written;
}

Result<StoredPtr> Engine::remove(const Key& key, Revision expected) {
  StoredPtr written;
  {
    Lock lock(mutex_);
    Collection& resource = state_.resource(key.resource);
    StoredPtr before = resource.objects.find(key.ns, key.name);
    if (!before || before->revision != expected) return conflict(key, expected, before);
    const Revision revision = ++last_used_;
    StoredPtr last = restamp(*before, revision, now_us());
    written = decide(resource, {revision, ChangeType::Deleted, std::move(last), std::move(before)});
  }
  if (!journal_) announcer_.run();
  return written;
}

StoredPtr Engine::decide(Collection& resource, Slot slot) {
  StoredPtr object = slot.object;
  current_ = slot.revision;
  if (!views_.empty()) {
    const Change change = change_of(resource, slot);
    for (const auto& view : views_) view(change);
  }
  if (journal_) {
    pending_.push_back({&resource.name, slot});
    if (pending_.size() == 1) arrived_.notify_all();
  }
  state_.apply(resource, std::move(slot));
  if (!journal_) {
    committed(current_);
    oldest_ = std::max(oldest_, state_.dropped());
  }
  return object;
}

void Engine::committed(Revision upto) {
  durable_ = upto;
  const auto end = held_.upper_bound(upto);
  for (auto at = held_.begin(); at != end; ++at)
    announcer_.queue([then = std::move(at->second)] { then(ok()); });
  held_.erase(held_.begin(), end);
  announcer_.queue_listeners();
  state_.trim(durable_);
}

void Engine::take_back(const Error& why) {
  why_undone_ = why.what();
  while (state_.newest() > durable_) {
    const Change reverse = state_.undo();
    for (const auto& view : views_) view(reverse);
  }
  pending_.clear();
  current_ = durable_;
  if (!undone_.empty() && undone_.back().first > durable_) {
    undone_.back().second = last_used_;
  } else {
    undone_.emplace_back(durable_ + 1, last_used_);
  }
  const auto begin = held_.upper_bound(durable_);
  const auto end = held_.upper_bound(last_used_);
  for (auto at = begin; at != end; ++at) {
    auto error = std::make_shared<Error>(why.copy());
    announcer_.queue([then = std::move(at->second), error] { then(std::move(*error)); });
  }
  held_.erase(begin, end);
}

bool Engine::was_undone(Revision revision) const {
  return std::any_of(undone_.begin(), undone_.end(), [&](const auto& range) {
    return range.first <= revision && revision <= range.second;
  });
}

void Engine::when_durable(Revision revision, std::function<void(Result<void>)> then) {
  Result<void> outcome;
  {
    Lock lock(mutex_);
    if (was_undone(revision)) {
      outcome = Error(Fault::Unavailable,
                      fmt::format("revision {} was undone: {}", revision, why_undone_));
    } else if (revision > durable_) {
      held_.emplace(revision, std::move(then));
      return;
    }
  }
  then(std::move(outcome));
}

uint64_t Engine::on_durable(std::function<void()> listener) {
  return announcer_.add(std::move(listener));
}

void Engine::forget_listener(uint64_t id) { announcer_.remove(id); }

void Engine::on_change(std::function<void(const Change&)> view) {
  Lock lock(mutex_);
  views_.push_back(std::move(view));
}

bool Engine::commit_pending() {
  if (!journal_) return false;
  {
    Lock one_at_a_time(commit_mutex_);
    std::vector<Journal::Entry> batch;
    bool well = true;
    {
      Lock lock(mutex_);
      batch.swap(pending_);
      well = !trouble_;
    }
    if (batch.empty()) {
      if (!well) try_again();
      return false;
    }
    committing_.store(batch.back().slot.revision);
    committer_is(Committer::At::Disk);
    auto done = journal_->append(batch);
    Lock lock(mutex_);
    if (done) {
      trouble_.reset();
      committed(batch.back().slot.revision);
    } else {
      trouble_ = std::move(done.take_error()).with_context("commit");
      log::error(trouble_->what());
      take_back(*trouble_);
    }
  }
  committer_is(Committer::At::Listeners);
  announcer_.run();
  committer_is(Committer::At::Rest);
  return true;
}

void Engine::committer_is(Committer::At at) {
  committer_since_.store(clock_.mono());
  committer_at_.store(at);
}

Committer Engine::committer() const {
  return {committer_at_.load(), committer_since_.load(), committing_.load()};
}

/// Nobody may be writing because the server says that it is not ready; so it looks by itself.
void Engine::try_again() {
  committer_is(Committer::At::Disk);
  auto done = journal_->probe();
  committer_is(Committer::At::Rest);
  Lock lock(mutex_);
  if (done) trouble_.reset();
}

void Engine::wait_for_pending(std::chrono::milliseconds limit) {
  Lock lock(mutex_);
  if (pending_.empty()) arrived_.wait_for(mutex_, limit);
}

Result<void> Engine::healthy() const {
  Lock lock(mutex_);
  if (trouble_) return trouble_->copy();
  return ok();
}

Result<std::unique_ptr<Engine>> open_engine(const std::string& path, const Clock& clock,
                                            RingLimits limits) {
  auto journal = HF_TRY(Journal::open(path));
  auto loaded = HF_TRY(journal->load());
  return std::make_unique<Engine>(clock, limits, std::move(journal), std::move(loaded));
}

}  // namespace holdfast::apiserver::storage

namespace holdfast::apiserver {

std::unique_ptr<Store> make_memory_store(const Clock& clock) {
  storage::Journal::Loaded nothing;
  nothing.newest = nothing.compacted = 1;
  return std::make_unique<storage::Engine>(clock, storage::kMemoryRing, nullptr,
                                           std::move(nothing));
}

Result<std::unique_ptr<Store>> open_store(const std::string& path, const Clock& clock) {
  std::unique_ptr<Store> store = HF_TRY(storage::open_engine(path, clock, storage::RingLimits{}));
  return store;
}

}  // namespace holdfast::apiserver
