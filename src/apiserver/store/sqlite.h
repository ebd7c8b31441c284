/// SQLite as values that clean up after themselves and errors that name the file.
#pragma once

#include <holdfast/base/result.h>

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>

namespace holdfast::apiserver::storage {

/// One connection. Not safe for several threads by itself.
class Database {
 public:
  enum class Mode { Write, Read };
  static Result<Database> open(const std::string& path, Mode mode);

  Result<void> run(const char* sql);
  /// The first column of the first row.
  Result<int64_t> number(const char* sql);
  bool in_transaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }
  /// Gives back the memory of cached pages.
  void shrink() { sqlite3_db_release_memory(db_.get()); }
  /// What the last call on this connection failed of.
  Error error(std::string_view doing) const;
  const std::string& path() const { return path_; }
  sqlite3* raw() const { return db_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  Database(std::string path, sqlite3* db) : path_(std::move(path)), db_(db) {}

  std::string path_;
  std::unique_ptr<sqlite3, Close> db_;
};

/// A prepared statement. Texts bound must outlive its next reset; texts read live until the next
/// step.
class Statement {
 public:
  Statement() = default;
  static Result<Statement> prepare(const Database& db, const char* sql);

  Statement& bind(int64_t number);
  Statement& bind(std::string_view text);
  Statement& bind_blob(std::string_view bytes);
  /// True if there is a row.
  Result<bool> step(const Database& db);
  /// For statements that yield no row; ready for the next binding afterwards.
  Result<void> finish(const Database& db);
  void reset();
  int64_t number(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  std::string_view text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

/// Ends a read: a statement left in the middle of its rows would hold the WAL open.
class Rows {
 public:
  explicit Rows(Statement& statement) : statement_(statement) {}
  ~Rows() { statement_.reset(); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

 private:
  Statement& statement_;
};

}  // namespace holdfast::apiserver::storage
