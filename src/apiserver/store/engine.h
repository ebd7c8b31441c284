/// The store behind the door: RAM state under one lock, an optional journal, and the order in which
/// the two meet.
///
/// A write under the lock: check, next revision, state, ring, views, queue for the journal.
/// commit_pending: take the queue, write it with the lock free, then raise durable() and release
/// what waited. A commit that fails takes back *every* change after durable(), newest first, also
/// those queued meanwhile: they may stand on the ones that failed. Their revisions are never used
/// again, so a reply made from a state that was taken back cannot slip out later.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>

#include "store/announcer.h"
#include "store/journal.h"
#include "store/state.h"
#include "store/store.h"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace holdfast::apiserver::storage {

class Past;

class Engine final : public Store {
 public:
  /// `journal` may be null: every write is durable at once, and the ring is all the history there
  /// is.
  Engine(const Clock& clock, RingLimits limits, std::unique_ptr<Journal> journal,
         Journal::Loaded&& loaded);

  Revision current() const override;
  Revision durable() const override;
  Revision oldest() const override;
  StoredPtr get(const Key& key) const override;
  Result<Page> list(const Range& range) const override;
  size_t count(std::string_view resource) const override;
  Result<StoredPtr> put(const Key& key, Revision expected, Draft draft) override;
  Result<StoredPtr> remove(const Key& key, Revision expected) override;
  Result<std::vector<Change>> changes(std::string_view resource, Revision after, size_t limit,
                                      Revision& seen) const override;
  void when_durable(Revision revision, std::function<void(Result<void>)> then) override;
  uint64_t on_durable(std::function<void()> listener) override;
  void forget_listener(uint64_t id) override;
  void on_change(std::function<void(const Change&)> view) override;
  bool commit_pending() override;
  Committer committer() const override;
  void wait_for_pending(std::chrono::milliseconds limit) override;
  bool compact_step(std::chrono::seconds keep) override;
  Result<void> healthy() const override;

  /// For tests of a full disk; null without one.
  Journal* journal() { return journal_.get(); }

 private:
  using Then = std::function<void(Result<void>)>;

  StoredPtr decide(Collection& resource, Slot slot) HF_REQUIRES(mutex_);
  Result<void> check_kept(Revision revision) const HF_REQUIRES(mutex_);
  Result<Page> list_past(const Range& range, Past past, Revision in_log) const;
  /// The part of `changes` that the ring can say; how far the log must be asked first, or 0.
  Result<Revision> recent(std::string_view resource, size_t limit, Revision& seen,
                          std::vector<Change>& out) const;
  void committed(Revision upto) HF_REQUIRES(mutex_);
  void take_back(const Error& why) HF_REQUIRES(mutex_);
  void try_again();
  void committer_is(Committer::At at);
  bool was_undone(Revision revision) const HF_REQUIRES(mutex_);
  bool compact_memory(int64_t cutoff_us);
  bool compact_journal(int64_t cutoff_us);
  int64_t now_us() const;

  const Clock& clock_;
  const std::unique_ptr<Journal> journal_;
  Announcer announcer_;

  std::atomic<Committer::At> committer_at_{Committer::At::Rest};
  std::atomic<MonoTime> committer_since_{};
  std::atomic<Revision> committing_{0};

  Mutex commit_mutex_;  ///< taken before mutex_: commits happen in the order of revisions
  mutable Mutex mutex_;
  CondVar arrived_;
  State state_ HF_GUARDED_BY(mutex_);
  Revision last_used_ HF_GUARDED_BY(mutex_);  ///< above current_ after something was undone
  Revision current_ HF_GUARDED_BY(mutex_);
  Revision durable_ HF_GUARDED_BY(mutex_);
  Revision oldest_ HF_GUARDED_BY(mutex_);
  std::vector<Journal::Entry> pending_ HF_GUARDED_BY(mutex_);
  std::multimap<Revision, Then> held_ HF_GUARDED_BY(mutex_);
  std::vector<std::pair<Revision, Revision>> undone_
      HF_GUARDED_BY(mutex_);                      ///< ascending, inclusive
  std::string why_undone_ HF_GUARDED_BY(mutex_);  ///< the last of them
  std::vector<std::function<void(const Change&)>> views_ HF_GUARDED_BY(mutex_);
  std::optional<Error> trouble_ HF_GUARDED_BY(mutex_);
};

/// As open_store, with a ring of another size.
Result<std::unique_ptr<Engine>> open_engine(const std::string& path, const Clock& clock,
                                            RingLimits limits);

}  // namespace holdfast::apiserver::storage
