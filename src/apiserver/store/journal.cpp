#include "store/journal.h"

#include "store/kept.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace holdfast::apiserver::storage {
namespace {

constexpr int64_t kFormat = 1;
constexpr int64_t kNoPageLimit = 1073741823;

// Debian's SQLite overwrites what is deleted; FAST does so only where that costs no page more, or
// compaction would write as much as the writes did. A checkpoint copies pages of the WAL into the
// file and syncs it, on the committing thread: rare enough not to be felt in the mean, small enough
// that a stall stays short and the WAL bounded.
constexpr const char* kSettings =
    "PRAGMA synchronous=FULL;"
    "PRAGMA wal_autocheckpoint=4000;"
    "PRAGMA journal_size_limit=33554432;"
    "PRAGMA cache_size=-1024;"
    "PRAGMA cell_size_check=ON;"
    "PRAGMA secure_delete=FAST;"
    "PRAGMA trusted_schema=OFF;";

constexpr const char* kSchema =
    "PRAGMA application_id=1212564548;"
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE log(rev INTEGER PRIMARY KEY, wall_us INTEGER NOT NULL, resource TEXT NOT NULL,"
    " ns TEXT NOT NULL, name TEXT NOT NULL, type INTEGER NOT NULL, created INTEGER NOT NULL,"
    " prev INTEGER NOT NULL, sum INTEGER NOT NULL);"
    "CREATE TABLE body(rev INTEGER PRIMARY KEY, version_at INTEGER NOT NULL, meta BLOB NOT NULL,"
    " text TEXT NOT NULL);"
    "INSERT INTO meta VALUES('format', 1), ('compacted', 1);";

/// SQLite would make it readable by all that the umask lets through; the WAL takes its mode from
/// here.
Result<void> make_private(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) {
    ::close(fd);
    return ok();
  }
  const int cause = errno;
  const Fault fault = cause == ENOENT ? Fault::NotFound : Fault::Denied;
  return Error(fault, fmt::format("open {}: {}", path, std::generic_category().message(cause)));
}

Result<void> check_format(Database& db) {
  auto format = db.number("SELECT value FROM meta WHERE key='format'");
  if (!format && format.error().fault() == Fault::Corrupt) return format.take_error();
  if (!format || *format < 1)
    return Error(Fault::Invalid, fmt::format("{} is not a state file of holdfast", db.path()))
        .with_hint("choose another data folder, or move the file away");
  if (*format > kFormat)
    return Error(Fault::Invalid, fmt::format("{} has format {}, this build reads up to {}",
                                             db.path(), *format, kFormat))
        .with_hint("upgrade holdfast, or use the version that wrote it");
  return ok();
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::open(const std::string& path) {
  HF_TRY(make_private(path));
  Database db = HF_TRY(Database::open(path, Database::Mode::Write));
  const int64_t tables = HF_TRY(db.number("SELECT count(*) FROM sqlite_master"));
  const bool fresh = tables == 0;
  if (!fresh) {
    HF_TRY(check_format(db));
  }
  std::unique_ptr<Journal> journal(new Journal(std::move(db), path));
  Lock lock(journal->write_mutex_);
  if (fresh) {
    HF_TRY(journal->create());
  }
  HF_TRY(journal->writer_.db.run("PRAGMA journal_mode=WAL"));
  HF_TRY(journal->writer_.db.run(kSettings));
  HF_TRY(journal->prepare());
  return journal;
}

/// Synced once at its end instead of at each step: a start cut short leaves no table, and begins
/// anew. It must be synced before the first write is acknowledged, because SQLite throws the WAL of
/// an empty file away.
Result<void> Journal::create() {
  HF_TRY(writer_.db.run("PRAGMA synchronous=OFF"));
  HF_TRY(writer_.db.run("PRAGMA journal_mode=WAL"));
  HF_TRY(transact([&]() HF_REQUIRES(write_mutex_) { return writer_.db.run(kSchema); }));
  HF_TRY(writer_.db.run("PRAGMA synchronous=FULL"));
  return writer_.db.run("PRAGMA wal_checkpoint(PASSIVE)");
}

Result<void> Journal::prepare() {
  writer_.log = HF_TRY(
      Statement::prepare(writer_.db, "INSERT INTO log VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"));
  writer_.body = HF_TRY(Statement::prepare(writer_.db, "INSERT INTO body VALUES(?1, ?2, ?3, ?4)"));
  compacted_ = HF_TRY(writer_.db.number("SELECT value FROM meta WHERE key='compacted'"));
  return ok();
}

template <class Work>
Result<void> Journal::transact(Work work) {
  if (const int64_t pages = page_limit_.exchange(-1); pages >= 0) {
    const auto sql = fmt::format("PRAGMA max_page_count={}", pages > 0 ? pages : kNoPageLimit);
    HF_TRY(writer_.db.run(sql.c_str()));
  }
  HF_TRY(writer_.db.run("BEGIN IMMEDIATE"));
  Result<void> done = work();
  if (done) done = writer_.db.run("COMMIT");
  // Some failures have rolled back by themselves.
  if (!done && writer_.db.in_transaction()) {
    auto undone = writer_.db.run("ROLLBACK");
    if (!undone) return std::move(done.take_error()).with_context(undone.error().what());
  }
  return done;
}

Result<void> Journal::insert(const Entry& entry) {
  const Slot& slot = entry.slot;
  const Stored& object = *slot.object;
  const bool has_body = slot.type != ChangeType::Deleted;
  const std::string meta = has_body ? pack(object.meta) : std::string();
  const Revision prev = slot.before ? slot.before->revision : 0;
  const auto type = static_cast<int64_t>(slot.type);
  const auto at = has_body ? static_cast<int64_t>(version_at(object)) : 0;
  Sum sum;
  sum.add(slot.revision).add(object.wall_us).add(*entry.resource).add(object.meta.ns);
  sum.add(object.meta.name).add(type).add(object.created).add(prev);
  sum.add(at).add(meta).add(has_body ? std::string_view(object.text) : std::string_view());

  writer_.log.bind(slot.revision).bind(object.wall_us).bind(*entry.resource);
  writer_.log.bind(object.meta.ns).bind(object.meta.name).bind(type);
  writer_.log.bind(object.created).bind(prev).bind(sum.value());
  HF_TRY(writer_.log.finish(writer_.db));
  if (!has_body) return ok();
  writer_.body.bind(slot.revision).bind(at).bind_blob(meta).bind(object.text);
  return writer_.body.finish(writer_.db);
}

Result<void> Journal::append(const std::vector<Entry>& entries) {
  Lock lock(write_mutex_);
  return transact([&]() HF_REQUIRES(write_mutex_) -> Result<void> {
    for (const Entry& entry : entries) {
      HF_TRY(insert(entry));
    }
    return ok();
  });
}

Result<void> Journal::probe() {
  Lock lock(write_mutex_);
  return transact([&]() HF_REQUIRES(write_mutex_) {
    return writer_.db.run("UPDATE meta SET value=value WHERE key='compacted'");
  });
}

Result<Revision> Journal::compactable(int64_t cutoff_us, size_t rows) {
  Lock lock(write_mutex_);
  Statement scan = HF_TRY(Statement::prepare(
      writer_.db, "SELECT rev, wall_us FROM log WHERE rev>?1 ORDER BY rev LIMIT ?2"));
  scan.bind(compacted_).bind(static_cast<int64_t>(rows));
  Revision upto = compacted_;
  for (;;) {
    const bool row = HF_TRY(scan.step(writer_.db));
    // In the order of revisions, so that a clock that was set back only makes history longer.
    if (!row || scan.number(1) > cutoff_us) break;
    upto = scan.number(0);
  }
  return upto;
}

Result<void> Journal::compact(Revision upto) {
  Lock lock(write_mutex_);
  if (upto <= compacted_) return ok();
  const auto sql = fmt::format(
      "DELETE FROM body WHERE rev IN (SELECT prev FROM log WHERE rev>{0} AND rev<={1});"
      "DELETE FROM log WHERE rev IN (SELECT prev FROM log WHERE rev>{0} AND rev<={1});"
      "DELETE FROM log WHERE rev>{0} AND rev<={1} AND type=2;"
      "UPDATE meta SET value={1} WHERE key='compacted'",
      compacted_, upto);
  // It need not be on disk at once: if it is lost, it is done again.
  HF_TRY(writer_.db.run("PRAGMA synchronous=NORMAL"));
  auto done = transact([&]() HF_REQUIRES(write_mutex_) { return writer_.db.run(sql.c_str()); });
  HF_TRY(writer_.db.run("PRAGMA synchronous=FULL"));
  if (done) compacted_ = upto;
  return done;
}

Error Journal::damaged(Revision revision, std::string_view how) const {
  return Error(Fault::Corrupt, fmt::format("{}: change {} {}", path_, revision, how))
      .with_hint("the file was damaged from outside; put a copy of the data folder back");
}

}  // namespace holdfast::apiserver::storage
