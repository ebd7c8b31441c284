/// Reading state.db: the state at start, and history that the ring has dropped.
#include "store/journal.h"
#include "store/kept.h"

#include <algorithm>
#include <unordered_map>

namespace holdfast::apiserver::storage {
namespace {

enum Column { kRev, kWall, kResource, kNs, kName, kType, kCreated, kPrev, kSum, kAt, kMeta, kText };

#define HF_ROW                                                                           \
  "SELECT l.rev, l.wall_us, l.resource, l.ns, l.name, l.type, l.created, l.prev, l.sum," \
  " b.version_at, b.meta, b.text FROM log l LEFT JOIN body b ON b.rev=l.rev "

bool listed_before(const StoredPtr& a, const StoredPtr& b) {
  return compare_keys(a->meta.ns, a->meta.name, b->meta.ns, b->meta.name) < 0;
}

}  // namespace

Result<Journal::Reader*> Journal::reader() {
  if (reader_) return &*reader_;
  Database db = HF_TRY(Database::open(path_, Database::Mode::Read));
  HF_TRY(db.run("PRAGMA cache_size=-512"));
  Statement changes = HF_TRY(Statement::prepare(
      db, HF_ROW "WHERE l.rev>?1 AND l.rev<=?2 AND l.resource=?3 ORDER BY l.rev LIMIT ?4"));
  Statement replaced = HF_TRY(Statement::prepare(
      db,
      "SELECT ns, name, prev FROM log WHERE rev>?1 AND rev<=?2 AND resource=?3 ORDER BY rev DESC"));
  Statement version = HF_TRY(Statement::prepare(db, HF_ROW "WHERE l.rev=?1"));
  reader_.emplace(
      Reader{std::move(db), std::move(changes), std::move(replaced), std::move(version)});
  return &*reader_;
}

/// The object that a row of HF_ROW made; a deletion makes none by itself, only its sum is checked.
Result<StoredPtr> Journal::object(Statement& row) const {
  const Revision revision = row.number(kRev);
  const std::string_view text = row.text(kText), meta = row.text(kMeta);
  Sum sum;
  sum.add(revision).add(row.number(kWall)).add(row.text(kResource)).add(row.text(kNs));
  sum.add(row.text(kName)).add(row.number(kType)).add(row.number(kCreated)).add(row.number(kPrev));
  sum.add(row.number(kAt)).add(meta).add(text);
  if (sum.value() != row.number(kSum)) return damaged(revision, "does not match its checksum");
  if (row.number(kType) == static_cast<int64_t>(ChangeType::Deleted)) return StoredPtr();

  auto kept = std::make_shared<Kept>();
  kept->text = text;
  kept->revision = revision;
  kept->created = row.number(kCreated);
  kept->wall_us = row.number(kWall);
  kept->version_at = static_cast<size_t>(row.number(kAt));
  kept->meta.ns = row.text(kNs);
  kept->meta.name = row.text(kName);
  if (!unpack(meta, kept->meta)) return damaged(revision, "has metadata that cannot be read");
  return StoredPtr(std::move(kept));
}

Result<StoredPtr> Journal::fetch(Reader& from, Revision revision) {
  const Rows rows(from.version);
  from.version.bind(revision);
  const bool found = HF_TRY(from.version.step(from.db));
  if (!found) return damaged(revision, "is missing");
  return object(from.version);
}

/// In the order of revisions every row names the one it replaces, so a lost row is noticed.
Result<std::vector<Revision>> Journal::scan(Loaded& loaded) {
  Reader* const from = HF_TRY(reader());
  Statement rows = HF_TRY(Statement::prepare(
      from->db, "SELECT rev, resource, ns, name, type, prev FROM log ORDER BY rev"));
  std::unordered_map<std::string, Revision> live;
  std::string key;
  for (;;) {
    const bool row = HF_TRY(rows.step(from->db));
    if (!row) break;
    const Revision revision = rows.number(0), prev = rows.number(5);
    key.assign(rows.text(1)).append(1, '\0').append(rows.text(2));
    key.append(1, '\0').append(rows.text(3));
    const auto [at, added] = live.try_emplace(key, revision);
    const bool follows = added ? prev == 0 : at->second == prev;
    if (!follows && revision > loaded.compacted)
      return damaged(revision, "replaces one that is not there");
    at->second = revision;
    if (rows.number(4) == static_cast<int64_t>(ChangeType::Deleted)) live.erase(at);
    loaded.newest = std::max(loaded.newest, revision);
  }
  std::vector<Revision> revisions;
  revisions.reserve(live.size());
  for (const auto& [name, revision] : live) revisions.push_back(revision);
  std::sort(revisions.begin(), revisions.end());
  return revisions;
}

Result<Journal::Loaded> Journal::load() {
  Loaded loaded;
  {
    Lock lock(write_mutex_);
    loaded.compacted = loaded.newest = compacted_;
  }
  Lock lock(read_mutex_);
  const auto live = HF_TRY(scan(loaded));
  Reader* const from = HF_TRY(reader());
  for (const Revision revision : live) {
    const Rows rows(from->version);
    from->version.bind(revision);
    const bool found = HF_TRY(from->version.step(from->db));
    if (!found) return damaged(revision, "is missing");
    StoredPtr stored = HF_TRY(object(from->version));
    loaded.objects[std::string(from->version.text(kResource))].push_back(std::move(stored));
  }
  for (auto& [resource, objects] : loaded.objects)
    std::sort(objects.begin(), objects.end(), listed_before);
  from->db.shrink();
  return loaded;
}

Result<Change> Journal::change(Reader& from, Statement& row) {
  Change change;
  change.revision = row.number(kRev);
  change.key = {std::string(row.text(kResource)), std::string(row.text(kNs)),
                std::string(row.text(kName))};
  change.type = static_cast<ChangeType>(row.number(kType));
  change.object = HF_TRY(object(row));
  const Revision prev = row.number(kPrev);
  if (prev != 0) change.before = HF_TRY(fetch(from, prev));
  if (change.type == ChangeType::Deleted) {
    if (!change.before) return damaged(change.revision, "deletes what is not there");
    change.object = restamp(*change.before, change.revision, row.number(kWall));
  }
  return change;
}

Result<void> Journal::read(std::string_view resource, Revision after, Revision upto, size_t limit,
                           std::vector<Change>& out) {
  Lock lock(read_mutex_);
  Reader* const from = HF_TRY(reader());
  const Rows rows(from->changes);
  from->changes.bind(after).bind(upto).bind(resource).bind(static_cast<int64_t>(limit));
  for (;;) {
    const bool row = HF_TRY(from->changes.step(from->db));
    if (!row) return ok();
    Change next = HF_TRY(change(*from, from->changes));
    out.push_back(std::move(next));
  }
}

Result<std::vector<Journal::Earlier>> Journal::replaced(std::string_view resource, Revision after,
                                                        Revision upto) {
  Lock lock(read_mutex_);
  Reader* const from = HF_TRY(reader());
  Statement& rows = from->replaced;
  const Rows end(rows);
  rows.bind(after).bind(upto).bind(resource);
  std::vector<Earlier> out;
  for (;;) {
    const bool row = HF_TRY(rows.step(from->db));
    if (!row) return out;
    out.push_back({std::string(rows.text(0)), std::string(rows.text(1)), rows.number(2)});
  }
}

Result<StoredPtr> Journal::version(Revision revision) {
  Lock lock(read_mutex_);
  Reader* const from = HF_TRY(reader());
  return fetch(*from, revision);
}

}  // namespace holdfast::apiserver::storage
