#include "store/sqlite.h"

#include <fmt/format.h>

namespace holdfast::apiserver::storage {
namespace {

Fault fault_of(int extended) {
  if (extended == SQLITE_IOERR_SHORT_READ || extended == SQLITE_IOERR_CORRUPTFS)
    return Fault::Corrupt;
  switch (extended & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Fault::Corrupt;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Fault::Unavailable;
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      return Fault::Denied;
    default:
      return Fault::Internal;
  }
}

}  // namespace

Result<Database> Database::open(const std::string& path, Mode mode) {
  // Every connection is guarded by a lock of ours.
  const int flags =
      SQLITE_OPEN_NOMUTEX |
      (mode == Mode::Write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY);
  sqlite3* raw = nullptr;
  const int rc = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  Database db(path, raw);
  if (rc != SQLITE_OK) {
    if (!raw) return Error(Fault::Unavailable, fmt::format("open {}: out of memory", path));
    return db.error("open");
  }
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, 5000);
  return db;
}

Result<void> Database::run(const char* sql) {
  if (sqlite3_exec(db_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return error(sql);
  return ok();
}

Result<int64_t> Database::number(const char* sql) {
  Statement statement = HF_TRY(Statement::prepare(*this, sql));
  const bool row = HF_TRY(statement.step(*this));
  if (!row) return Error(Fault::NotFound, fmt::format("{} in {}: no row", sql, path_));
  return statement.number(0);
}

Error Database::error(std::string_view doing) const {
  const int code = sqlite3_extended_errcode(db_.get());
  Error error(fault_of(code), fmt::format("{} {}: {}", doing, path_, sqlite3_errmsg(db_.get())));
  if (error.fault() == Fault::Corrupt)
    return std::move(error).with_hint(
        "the file was damaged from outside; put a copy of the data folder back");
  return error;
}

Result<Statement> Statement::prepare(const Database& db, const char* sql) {
  sqlite3_stmt* raw = nullptr;
  if (sqlite3_prepare_v3(db.raw(), sql, -1, SQLITE_PREPARE_PERSISTENT, &raw, nullptr) != SQLITE_OK)
    return db.error("read the tables of");
  Statement statement;
  statement.statement_.reset(raw);
  return statement;
}

Statement& Statement::bind(int64_t number) {
  HF_CHECK(sqlite3_bind_int64(statement_.get(), ++bound_, number) == SQLITE_OK);
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  // A null pointer would bind NULL.
  const char* bytes = text.data() ? text.data() : "";
  HF_CHECK(sqlite3_bind_text64(statement_.get(), ++bound_, bytes, text.size(), SQLITE_STATIC,
                               SQLITE_UTF8) == SQLITE_OK);
  return *this;
}

Statement& Statement::bind_blob(std::string_view bytes) {
  HF_CHECK(sqlite3_bind_blob64(statement_.get(), ++bound_, bytes.data() ? bytes.data() : "",
                               bytes.size(), SQLITE_STATIC) == SQLITE_OK);
  return *this;
}

Result<bool> Statement::step(const Database& db) {
  const int rc = sqlite3_step(statement_.get());
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  return db.error("read");
}

Result<void> Statement::finish(const Database& db) {
  const int rc = sqlite3_step(statement_.get());
  Result<void> done;
  if (rc != SQLITE_DONE) done = db.error("write");
  reset();
  return done;
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  bound_ = 0;
}

std::string_view Statement::text(int column) const {
  // Not sqlite3_column_text: on a blob that would convert in place.
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (!bytes) return {};
  return {static_cast<const char*>(bytes), static_cast<size_t>(size)};
}

}  // namespace holdfast::apiserver::storage
