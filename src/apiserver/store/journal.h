/// The file `state.db`: what makes writes durable, and the history that the ring in RAM has
/// dropped.
///
/// SQLite in WAL mode, synchronous=FULL, mode 0600 (Secrets are in it). Tables, format 1:
///
///   meta  key TEXT PRIMARY KEY, value  'format': 1; 'compacted': H, history up to H is gone
///   log   rev INTEGER PRIMARY KEY      one row per change: the order of events, quick to scan
///         wall_us                      when, microseconds since 1970
///         resource, ns, name           which object
///         type                         0 added, 1 modified, 2 deleted
///         created, prev                revision that created it; revision it replaced, 0 for none
///         sum                          over all of the above and the body: bit rot is found
///   body  rev INTEGER PRIMARY KEY      the version that change made; deletions have none, their
///                                      state is prev's
///         version_at                   offset of the decimal revision in the text
///         meta                         pack()ed metadata
///         text                         minified JSON
///
/// Bodies are written once: an object's current state is the body of its newest log row, so a write
/// costs its text once. A row is superseded by the row that names it as prev. Compaction up to H
/// removes what rows up to H superseded, and deletions up to H themselves; what is left below H is
/// the state at H. The highest revision ever used is therefore max(H, highest row), and never goes
/// back.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/base/result.h>

#include "store/sqlite.h"
#include "store/state.h"
#include "store/store.h"

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::apiserver::storage {

/// Safe to use from many threads: writes are done one at a time, reads of history too, but neither
/// waits for the other.
class Journal {
 public:
  struct Loaded {
    std::map<std::string, std::vector<StoredPtr>> objects;  ///< in listing order
    Revision newest = 0, compacted = 0;
  };
  struct Entry {
    const std::string* resource;
    Slot slot;
  };
  /// What stood at a key before its change; 0 for nothing.
  struct Earlier {
    std::string ns, name;
    Revision before;
  };

  static Result<std::unique_ptr<Journal>> open(const std::string& path);
  Result<Loaded> load();

  /// All of them or none; on disk when it returns.
  Result<void> append(const std::vector<Entry>& entries);
  /// Writes something that says nothing, to learn whether writing works again.
  Result<void> probe();
  /// Appends the changes of `resource` in (after, upto], at most `limit`, to `out`.
  Result<void> read(std::string_view resource, Revision after, Revision upto, size_t limit,
                    std::vector<Change>& out);
  /// The changes of `resource` in (after, upto], newest first, as what they replaced.
  Result<std::vector<Earlier>> replaced(std::string_view resource, Revision after, Revision upto);
  Result<StoredPtr> version(Revision revision);

  /// How far compaction may go in one step of at most `rows` changes, all older than `cutoff_us`;
  /// what it is now if there is nothing to do.
  Result<Revision> compactable(int64_t cutoff_us, size_t rows);
  Result<void> compact(Revision upto);

  /// For tests of a full disk: the most pages the file may have, 0 for no limit.
  void limit_pages(int64_t pages) { page_limit_ = pages; }

 private:
  struct Writer {
    Database db;
    Statement log, body;
  };
  struct Reader {
    Database db;
    Statement changes, replaced, version;
  };

  explicit Journal(Database db, std::string path)
      : path_(std::move(path)), writer_{std::move(db), {}, {}} {}
  Result<void> create() HF_REQUIRES(write_mutex_);
  Result<void> prepare() HF_REQUIRES(write_mutex_);
  /// Reads the order of events and leaves the revision of each object that exists, ascending.
  Result<std::vector<Revision>> scan(Loaded& loaded) HF_REQUIRES(read_mutex_);
  Result<void> insert(const Entry& entry) HF_REQUIRES(write_mutex_);
  /// Runs `work` in a transaction, whole or not at all.
  template <class Work>
  Result<void> transact(Work work) HF_REQUIRES(write_mutex_);
  Result<Reader*> reader() HF_REQUIRES(read_mutex_);
  Result<StoredPtr> fetch(Reader& reader, Revision revision) HF_REQUIRES(read_mutex_);
  Result<Change> change(Reader& reader, Statement& row) HF_REQUIRES(read_mutex_);
  Result<StoredPtr> object(Statement& row) const;
  Error damaged(Revision revision, std::string_view how) const;

  const std::string path_;
  std::atomic<int64_t> page_limit_{-1};
  Mutex write_mutex_;
  Writer writer_ HF_GUARDED_BY(write_mutex_);
  Revision compacted_ HF_GUARDED_BY(write_mutex_) = 0;
  Mutex read_mutex_;
  std::optional<Reader> reader_ HF_GUARDED_BY(read_mutex_);
};

}  // namespace holdfast::apiserver::storage
