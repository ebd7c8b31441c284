#include "index/indexed.h"

#include "pack/blob_codec.h"

#include <fmt/format.h>

namespace holdfast::repo {

namespace {

std::optional<Location> find_in(const std::vector<IndexTable>& tables, BlobType type,
                                const Id& id) {
  for (const IndexTable& table : tables)
    if (const auto found = table.find(type, id)) return found;
  return {};
}

}  // namespace

IndexedRepository::IndexedRepository(std::unique_ptr<KeyedRepository> repository,
                                     IndexTables tables)
    : owned_(std::move(repository)),
      repository_(*owned_),
      tables_(std::move(tables)),
      workshop_(repository_.master_key()) {}

IndexedRepository::IndexedRepository(KeyedRepository& repository, IndexTables tables)
    : repository_(repository), tables_(std::move(tables)), workshop_(repository_.master_key()) {}

const IndexTable& IndexedRepository::table() const {
  HF_CHECK(tables_.used.size() == 1);
  return tables_.used.front();
}

std::optional<Location> IndexedRepository::find(BlobType type, const Id& id) const {
  if (const auto found = find_in(tables_.used, type, id)) return found;
  {
    const Lock lock(mutex_);
    if (const auto found = added_[size_t(type)].find(id)) return found;
  }
  return find_in(tables_.marked, type, id);
}

uint64_t IndexedRepository::blobs(BlobType type) const {
  uint64_t count = 0;
  for (const IndexTable& table : tables_.used) count += table.blobs(type);
  const Lock lock(mutex_);
  return count + added_[size_t(type)].stored();
}

void IndexedRepository::each(
    const std::function<void(BlobType, const Id&, const Location&)>& see) const {
  for (const IndexTable& table : tables_.used) table.each(see);
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
  for (const IndexTable& table : tables_.used) {
    const std::optional<size_t> first = table.position(type, id);
    for (size_t at = first.value_or(0);
         first && at < table.blobs(type) && table.id_at(type, at) == id; ++at) {
      Result<std::string> other = read_at(id, table.location_at(type, at));
      if (other) return other;
    }
  }
  return plain;
}

bool IndexedRepository::claim(BlobType type, const Id& id) {
  if (find_in(tables_.used, type, id)) return false;
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

}  // namespace holdfast::repo
