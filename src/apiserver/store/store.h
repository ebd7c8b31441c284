/// The state of the API server: every object of every resource, one global revision, and the
/// history that watches read.
///
/// State lives in RAM. A write is decided under one lock and gets the next revision at once; it
/// becomes *durable* when the log has taken it (group commit: whatever queued during the last
/// commit goes into the next one). Nothing that depends on a revision may leave the process before
/// `durable() >= revision`: replies are held with `when_durable`, watches are served only up to
/// `durable()`. If a commit fails, the writes in it are undone in RAM and their replies told so.
///
/// No thread lives in here. Production runs `commit_pending` on one thread that waits in
/// `wait_for_pending`; with no log (in memory, simulation) every write is durable when it returns.
/// All members are safe to call from many threads.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>
#include <holdfast/model/object.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::apiserver {

using Revision = int64_t;

/// One version of one object; immutable and shared.
struct Stored {
  std::string text;  ///< minified JSON with metadata.resourceVersion = revision
  Revision revision =
      0;  ///< of the write that made it; a deleted object's last state has the deletion's revision
  Revision created = 0;  ///< of the write that created it
  model::Meta meta;      ///< resource_version is left empty: `revision` says it
  int64_t wall_us = 0;   ///< when it was written
};
using StoredPtr = std::shared_ptr<const Stored>;

struct Key {
  std::string
      resource;    ///< storage name: "pods", "apps/deployments", "stable.example.com/crontabs"
  std::string ns;  ///< "" for cluster-scoped
  std::string name;
  auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr): the 0 is clang's
};

/// An object to be written. Its resourceVersion is known only at commit, so the text comes in two
/// halves between which the store puts the decimal revision.
struct Draft {
  std::string before_version, after_version;
  model::Meta meta;
};

enum class ChangeType { Added, Modified, Deleted };
struct Change {
  Revision revision = 0;
  ChangeType type = ChangeType::Added;
  Key key;
  StoredPtr object;  ///< new state; for Deleted the last state, carrying the deletion's revision
  StoredPtr before;  ///< state it replaced; null for Added
};

struct Page {
  std::vector<StoredPtr> items;
  Revision revision = 0;  ///< the list is exact at this revision
  bool more = false;
  std::string next_ns, next_name;  ///< first key of the rest, when `more`
  int64_t remaining = 0;           ///< objects after this page
};

struct Range {
  std::string resource;
  std::optional<std::string> ns = {};        ///< absent: all namespaces
  std::string from_ns = {}, from_name = {};  ///< start here (inclusive); "" = from the beginning
  size_t limit = 0;                          ///< 0 = all
  Revision at = 0;                           ///< 0 = now; else exact state at that revision
};

/// What the thread that commits is at, for who asks why an answer is late.
struct Committer {
  enum class At { Rest, Disk, Listeners };
  At at = At::Rest;
  MonoTime since{};   ///< when it began with that
  Revision upto = 0;  ///< the newest revision that it has begun to commit
};

class Store {
 public:
  virtual ~Store() = default;

  virtual Revision current() const = 0;
  virtual Revision durable() const = 0;
  /// Reads older than this are gone.
  virtual Revision oldest() const = 0;

  virtual StoredPtr get(const Key& key) const = 0;
  /// Fault::NotFound: `range.at` is compacted. Fault::Invalid: `range.at` lies in the future.
  virtual Result<Page> list(const Range& range) const = 0;
  virtual size_t count(std::string_view resource) const = 0;

  /// Creates if `expected` is 0, replaces if it equals the object's revision. Fault::Conflict
  /// otherwise, the current state then being what `get` says.
  virtual Result<StoredPtr> put(const Key& key, Revision expected, Draft draft) = 0;
  /// Returns the last state, with the deletion's revision in it.
  virtual Result<StoredPtr> remove(const Key& key, Revision expected) = 0;

  /// Changes of `resource` after `after` and up to durable(), oldest first, at most `limit`; sets
  /// `seen` to the revision up to which everything was looked at. Fault::NotFound: the history
  /// before `after` is gone.
  virtual Result<std::vector<Change>> changes(std::string_view resource, Revision after,
                                              size_t limit, Revision& seen) const = 0;

  /// Runs `then` once durable() >= revision (at once if it is), or with an error if that write was
  /// undone.
  virtual void when_durable(Revision revision, std::function<void(Result<void>)> then) = 0;
  /// Called after every advance of durable(), outside the lock, in order of registration. For
  /// watches. Returns an id.
  virtual uint64_t on_durable(std::function<void()> listener) = 0;
  /// When it returns the listener is not running (unless it is the caller), so hold no lock that
  /// the listener takes.
  virtual void forget_listener(uint64_t id) = 0;
  /// Called under the store's lock for each change as it is decided (before it is durable), and for
  /// its reverse if it is undone: for views that must never lag behind the state (RBAC, CRDs). Must
  /// be quick, must not call back.
  virtual void on_change(std::function<void(const Change&)> view) = 0;

  /// One group commit of what is pending; true if there was something.
  virtual bool commit_pending() = 0;
  /// Takes no lock, so that it can be asked while one is held for ever.
  virtual Committer committer() const = 0;
  /// Waits until something is pending or `limit` has passed.
  virtual void wait_for_pending(std::chrono::milliseconds limit) = 0;
  /// Drops history that is older than `keep`, a small step at a time; true if there is more to
  /// drop.
  virtual bool compact_step(std::chrono::seconds keep) = 0;
  /// False with the reason after a failed commit, until one succeeds. For readyz.
  virtual Result<void> healthy() const = 0;
};

/// All state in RAM, nothing kept.
std::unique_ptr<Store> make_memory_store(const Clock& clock);
/// State in `path` (SQLite, WAL, synchronous=FULL). Loads it whole; the history in it goes on being
/// watchable.
Result<std::unique_ptr<Store>> open_store(const std::string& path, const Clock& clock);

}  // namespace holdfast::apiserver
