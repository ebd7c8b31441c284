#include <holdfast/kube/informer.h>

#include "cache/scanner.h"
#include "cache/shelves.h"

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

struct KeyView {
  std::string_view ns, name;
};

int compare(const KeyView& a, const KeyView& b) {
  const int by_ns = a.ns.compare(b.ns);
  return by_ns != 0 ? by_ns : a.name.compare(b.name);
}

KeyView key_view(const Cached& object) { return {object.ns(), object.name()}; }
KeyView key_view(const KeyView& key) { return key; }

struct ByKey {
  template <class K>
  int operator()(const Cached& a, const K& b) const {
    return compare(key_view(a), key_view(b));
  }
};

/// A value under which an object stands, as a hash: two values that share one are told apart by
/// asking the index function again.
struct IndexEntry {
  uint64_t hash = 0;
  Cached object{};
};

struct ByHash {
  int operator()(const IndexEntry& a, const IndexEntry& b) const {
    if (a.hash != b.hash) return a.hash < b.hash ? -1 : 1;
    return compare(key_view(a.object), key_view(b.object));
  }
};

uint64_t hash_of(std::string_view value) { return std::hash<std::string_view>()(value); }

bool same_version(const Cached& a, const Cached& b) {
  return a.version() == b.version() && a.uid() == b.uid();
}

/// What turns `before` into `after`. Another uid under the same name is another object, whose
/// predecessor's deletion was missed.
void append_changes(const Cached& before, const Cached& after, bool initial,
                    std::vector<Change>& changes) {
  if (before && after && before.uid() != after.uid()) {
    changes.push_back({Change::Kind::Deleted, before, {}, initial, true});
    changes.push_back({Change::Kind::Added, {}, after, initial, false});
    return;
  }
  const auto kind = !before  ? Change::Kind::Added
                    : !after ? Change::Kind::Deleted
                             : Change::Kind::Updated;
  changes.push_back({kind, before, after, initial, kind == Change::Kind::Deleted});
}

}  // namespace

std::string Scope::text() const {
  std::string text = resource.text();
  if (!ns.empty()) text += " in " + ns;
  if (!label_selector.empty()) text += " with " + label_selector;
  if (!field_selector.empty()) text += (label_selector.empty() ? " with " : ",") + field_selector;
  if (metadata_only) text += " (metadata)";
  return text;
}

void index_by_controller(const Cached& object, std::vector<std::string>& values) {
  // Most objects of a large cache have no owner, or one: look before parsing all of the metadata.
  const std::string_view owners = member_of(object.metadata(), "ownerReferences");
  Scanner scan(owners);
  if (!scan.enter('[')) return;
  while (scan.element()) {
    const size_t from = scan.position();
    if (!scan.skip()) return;
    const std::string_view owner = scan.between(from, scan.position());
    if (member_of(owner, "controller") != "true") continue;
    values.push_back(string_member(owner, "uid"));
    return;
  }
}

struct Informer::Tables {
  struct Index {
    std::string name;
    IndexFunction function;
    Shelves<IndexEntry, ByHash> entries{};
  };
  Shelves<Cached, ByKey> objects{};
  std::vector<Index> indexes{};
  size_t text_bytes = 0;
  uint64_t progress = 0;
  bool synced = false;

  void put(const Cached& object) {
    erase(object);
    text_bytes += object.memory();
    objects.put(object);
    each_entry(object, [](Index& index, IndexEntry entry) { index.entries.put(std::move(entry)); });
  }

  /// Whatever stands under the key of `object`.
  void erase(const Cached& object) {
    const Cached* const found = objects.find(object);
    if (found == nullptr) return;
    const Cached old = *found;
    text_bytes -= old.memory();
    each_entry(old, [](Index& index, const IndexEntry& entry) { index.entries.erase(entry); });
    objects.erase(old);
  }

  void fill(const std::vector<Cached>& sorted) {
    objects.fill(sorted);
    for (const Cached& object : sorted) text_bytes += object.memory();
    for (Index& index : indexes) {
      std::vector<IndexEntry> entries;
      const auto less = [](const auto& a, const auto& b) { return ByHash()(a, b) < 0; };
      const auto same = [](const auto& a, const auto& b) { return ByHash()(a, b) == 0; };
      for (const Cached& object : sorted)
        for (const uint64_t hash : hashes(index, object)) entries.push_back({hash, object});
      std::sort(entries.begin(), entries.end(), less);
      entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
      index.entries.fill(entries);
    }
  }

  size_t memory() const {
    size_t bytes = text_bytes + objects.memory();
    for (const Index& index : indexes) bytes += index.entries.memory();
    return bytes;
  }

 private:
  static std::vector<uint64_t> hashes(const Index& index, const Cached& object) {
    std::vector<std::string> values;
    index.function(object, values);
    std::vector<uint64_t> hashes;
    hashes.reserve(values.size());
    for (const std::string& value : values) hashes.push_back(hash_of(value));
    return hashes;
  }

  template <class Each>
  void each_entry(const Cached& object, Each each) {
    for (Index& index : indexes)
      for (const uint64_t hash : hashes(index, object)) each(index, IndexEntry{hash, object});
  }
};

Informer::Informer(Scope scope) : scope_(std::move(scope)), tables_(std::make_unique<Tables>()) {}
Informer::~Informer() = default;

void Informer::add_index(std::string_view name, IndexFunction function) {
  const Lock lock(mutex_);
  for (const auto& index : tables_->indexes)
    if (index.name == name) return;
  tables_->indexes.push_back({std::string(name), std::move(function)});
}

void Informer::on_change(OnChange handler) { handlers_.push_back(std::move(handler)); }
void Informer::on_progress(OnProgress handler) { on_progress_.push_back(std::move(handler)); }

Cached Informer::get(std::string_view ns, std::string_view name) const {
  const Lock lock(mutex_);
  const Cached* const found = tables_->objects.find(KeyView{ns, name});
  return found == nullptr ? Cached() : *found;
}

std::vector<Cached> Informer::list(std::string_view ns,
                                   const model::LabelSelector& selector) const {
  std::vector<Cached> objects;
  {
    const Lock lock(mutex_);
    if (ns.empty()) objects.reserve(tables_->objects.size());
    tables_->objects.from(KeyView{ns, ""}, [&](const Cached& object) {
      if (!ns.empty() && object.ns() != ns) return false;
      objects.push_back(object);
      return true;
    });
  }
  if (!selector.empty())
    std::erase_if(objects,
                  [&](const Cached& object) { return !selector.matches(object.labels()); });
  return objects;
}

std::vector<Cached> Informer::find(std::string_view index, std::string_view value) const {
  std::vector<Cached> objects;
  IndexFunction function;
  {
    const Lock lock(mutex_);
    for (const auto& each : tables_->indexes) {
      if (each.name != index) continue;
      function = each.function;
      each.entries.from(IndexEntry{hash_of(value), {}}, [&](const IndexEntry& entry) {
        if (entry.hash != hash_of(value)) return false;
        objects.push_back(entry.object);
        return true;
      });
    }
  }
  std::vector<std::string> values;
  std::erase_if(objects, [&](const Cached& object) {
    values.clear();
    function(object, values);
    return std::find(values.begin(), values.end(), value) == values.end();
  });
  return objects;
}

size_t Informer::size() const {
  const Lock lock(mutex_);
  return tables_->objects.size();
}

size_t Informer::memory() const {
  const Lock lock(mutex_);
  return tables_->memory();
}

bool Informer::synced() const {
  const Lock lock(mutex_);
  return tables_->synced;
}

uint64_t Informer::progress() const {
  const Lock lock(mutex_);
  return tables_->progress;
}

void Informer::announce(const std::vector<Change>& changes, uint64_t version) {
  for (const Change& change : changes)
    for (const OnChange& handler : handlers_) handler(change);
  for (const OnProgress& handler : on_progress_) handler(version);
}

void Informer::replace(std::vector<Cached> all, uint64_t version) {
  const auto less = [](const Cached& a, const Cached& b) { return ByKey()(a, b) < 0; };
  if (!std::is_sorted(all.begin(), all.end(), less)) std::stable_sort(all.begin(), all.end(), less);
  const auto same = [&less](const Cached& a, const Cached& b) { return !less(a, b); };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  // The new tables are built beside the old ones, so that readers wait for a swap and no longer.
  auto tables = std::make_unique<Tables>();
  tables->progress = version;
  std::vector<Cached> old;
  {
    const Lock lock(mutex_);
    for (const auto& index : tables_->indexes)
      tables->indexes.push_back({index.name, index.function});
    tables->synced = tables_->synced;
    old.reserve(tables_->objects.size());
    tables_->objects.all([&](const Cached& object) { old.push_back(object); });
  }
  std::vector<Change> changes;
  auto before = old.begin();
  for (Cached& after : all) {
    for (; before != old.end() && less(*before, after); ++before)
      append_changes(*before, {}, true, changes);
    const bool known = before != old.end() && !less(after, *before);
    if (known && same_version(*before, after)) {
      after = *before;
    } else {
      append_changes(known ? *before : Cached(), after, true, changes);
    }
    if (known) ++before;
  }
  for (; before != old.end(); ++before) append_changes(*before, {}, true, changes);
  tables->fill(all);
  {
    const Lock lock(mutex_);
    std::swap(tables_, tables);
  }
  tables.reset();
  announce(changes, version);
  const Lock lock(mutex_);
  tables_->synced = true;
}

void Informer::put(const Cached& object) {
  std::vector<Change> changes;
  {
    const Lock lock(mutex_);
    const Cached* const found = tables_->objects.find(object);
    const Cached before = found == nullptr ? Cached() : *found;
    // An event that came twice, or late from another connection, is no news.
    if (before && before.version() >= object.version() && object.version() != 0) return;
    tables_->put(object);
    tables_->progress = std::max(tables_->progress, object.version());
    append_changes(before, object, false, changes);
  }
  announce(changes, object.version());
}

void Informer::erase(const Cached& last) {
  std::vector<Change> changes;
  {
    const Lock lock(mutex_);
    const Cached* const found = tables_->objects.find(last);
    const Cached before = found == nullptr ? Cached() : *found;
    if (before && before.version() > last.version() && last.version() != 0) return;
    tables_->progress = std::max(tables_->progress, last.version());
    if (before) {
      tables_->erase(before);
      // The event carries the state that was deleted, which may be newer than what we knew.
      const bool same = before.uid() == last.uid();
      changes.push_back({Change::Kind::Deleted, same ? last : before, {}, false, !same});
    }
  }
  announce(changes, last.version());
}

void Informer::advance(uint64_t version) {
  {
    const Lock lock(mutex_);
    if (version <= tables_->progress) return;
    tables_->progress = version;
  }
  announce({}, version);
}

}  // namespace holdfast::kube
