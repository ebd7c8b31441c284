#include "index/indexed.h"

#include "pack/blob_codec.h"

#include <fmt/format.h>

#include <set>

namespace holdfast::repo {

IndexedRepository::IndexedRepository(std::unique_ptr<KeyedRepository> repository, IndexTable table,
                                     IndexTable marked)
    : owned_(std::move(repository)),
      repository_(*owned_),
      table_(std::move(table)),
      marked_(std::move(marked)),
      workshop_(repository_.master_key()) {}

IndexedRepository::IndexedRepository(KeyedRepository& repository, IndexTable table,
                                     IndexTable marked)
    : repository_(repository),
      table_(std::move(table)),
      marked_(std::move(marked)),
      workshop_(repository_.master_key()) {}

std::optional<Location> IndexedRepository::find(BlobType type, const Id& id) const {
  if (const auto found = table_.find(type, id)) return found;
  const Lock lock(mutex_);
  if (const auto found = added_[size_t(type)].find(id)) return found;
  return marked_.find(type, id);
}

uint64_t IndexedRepository::blobs(BlobType type) const {
  const Lock lock(mutex_);
  return table_.blobs(type) + added_[size_t(type)].stored();
}

void IndexedRepository::each(
    const std::function<void(BlobType, const Id&, const Location&)>& see) const {
  table_.each(see);
  const Lock lock(mutex_);
  for (const BlobType type : {BlobType::Data, BlobType::Tree})
    added_[size_t(type)].each(
        [&see, type](const Id& id, const Location& where) { see(type, id, where); });
}

Result<std::string> IndexedRepository::read_at(const Id& id, const Location& where) {
  Result<std::string> sealed = repository_.store().get(place_of(FileType::Pack, where.pack),
                                                       blob::Range{where.offset, where.length});
  if (!sealed)
    return sealed.take_error().with_context(
        fmt::format("read blob {} of pack {}", id.hex(), where.pack.hex()));
  std::string plain;
  Workshop::Lent bench = workshop_.lend();
  HF_TRY(open_blob(*bench, id, where, *sealed, plain));
  return plain;
}

Result<std::string> IndexedRepository::read(BlobType type, const Id& id) {
  const std::optional<Location> where = find(type, id);
  if (!where)
    return Error(Fault::NotFound, fmt::format("{} {}: in no index",
                                              type == BlobType::Tree ? "tree" : "blob", id.hex()));
  Result<std::string> plain = read_at(id, *where);
  if (plain ||
      (plain.error().fault() != Fault::Corrupt && plain.error().fault() != Fault::NotFound))
    return plain;
  // Two writers at once may have stored it twice: the other copy is as good.
  const std::optional<size_t> first = table_.position(type, id);
  for (size_t at = first.value_or(0);
       first && at < table_.blobs(type) && table_.id_at(type, at) == id; ++at) {
    Result<std::string> other = read_at(id, table_.location_at(type, at));
    if (other) return other;
  }
  return plain;
}

bool IndexedRepository::claim(BlobType type, const Id& id) {
  if (table_.find(type, id)) return false;
  const Lock lock(mutex_);
  return added_[size_t(type)].claim(id);
}

void IndexedRepository::note(const IndexedPack& pack) {
  const Lock lock(mutex_);
  for (Added& added : added_) {
    const auto type = BlobType(&added - added_);
    std::optional<uint32_t> number;
    for (const PackedBlob& blob : pack.blobs) {
      if (blob.type != type) continue;
      if (!number) number = added.number(pack.id);
      added.store(blob.id, *number, blob.offset, blob.length, blob.plain_length);
    }
  }
  unwritten_blobs_ += pack.blobs.size();
  unwritten_.push_back(pack);
}

std::vector<IndexedPack> IndexedRepository::take_unwritten(size_t least) {
  const Lock lock(mutex_);
  if (unwritten_blobs_ < least) return {};
  unwritten_blobs_ = 0;
  return std::exchange(unwritten_, {});
}

namespace {

/// False if the file has gone since it was listed.
Result<bool> read_index(KeyedRepository& repository, const Id& file, IndexTable& table,
                        IndexTable& marked) {
  Result<std::string> json = repository.load(FileType::Index, file);
  if (!json && json.error().fault() == Fault::NotFound) return false;
  if (!json) return json.take_error();
  Result<void> read = parse_index(*json, [&](const IndexedPack& pack) {
    (pack.marked_at.empty() ? table : marked).add(pack);
    return ok();
  });
  if (!read) return read.take_error().with_context(fmt::format("read index {}", file.hex()));
  return true;
}

}  // namespace

Result<std::unique_ptr<Indexed>> load_index(std::unique_ptr<Opened>&& repository,
                                            const IndexOptions& options) {
  auto& opened = static_cast<KeyedRepository&>(*repository);
  IndexTable table, marked;
  std::set<Id> done;
  for (bool again = true; again;) {
    again = false;
    const std::vector<Id> files = HF_TRY(opened.list(FileType::Index));
    for (const Id& file : files) {
      if (!done.insert(file).second) continue;
      Result<bool> there = read_index(opened, file, table, marked);
      if (!there && there.error().fault() == Fault::Corrupt && options.damaged) {
        options.damaged(file, there.error());
        continue;
      }
      if (!there) return there.take_error();
      // Whoever removes an index file has written what takes its place before.
      again = again || !*there;
    }
  }
  table.sort();
  marked.sort();
  std::unique_ptr<KeyedRepository> keyed(static_cast<KeyedRepository*>(repository.release()));
  return std::unique_ptr<Indexed>(
      std::make_unique<IndexedRepository>(std::move(keyed), std::move(table), std::move(marked)));
}

}  // namespace holdfast::repo
