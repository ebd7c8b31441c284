#include "backup/saver.h"

#include "hash/sha256.h"
#include "index/index_writer.h"

namespace holdfast::repo {
namespace {

constexpr int kTreeLevel = 3;
constexpr auto kIndexEvery = std::chrono::minutes(2);
/// Only whole pages of zeros are told from other data: there are few lengths of them.
constexpr size_t kPage = 4096;

bool whole_pages(std::string_view bytes) { return !bytes.empty() && bytes.size() % kPage == 0; }

/// Each byte equals the next, and the first is zero.
bool is_zero(std::string_view bytes) {
  return bytes.front() == '\0' && bytes.substr(1) == bytes.substr(0, bytes.size() - 1);
}

}  // namespace

int level_of(Compression compression) {
  switch (compression) {
    case Compression::Off:
      return 0;
    case Compression::Fastest:
      return 1;
    case Compression::Auto:
      return 2;
    case Compression::Better:
      return 7;
    case Compression::Max:
      return 19;
  }
  return 3;
}

Saver::Saver(IndexedRepository& index, const BackupOptions& options)
    : index_(index),
      options_(options),
      rabin_(index.repository().config().polynomial),
      last_index_(index.repository().surroundings().clock.mono()),
      packer_(index.repository(), index.workshop(), {.pack_size = options.pack_size},
              [&index](const IndexedPack& pack) { index.note(pack); }) {}

std::optional<size_t> Saver::find_cut(const ChunkPolicy& chunks, std::string_view data,
                                      size_t seen) const {
  if (chunks.kind != ChunkPolicy::Kind::Fixed) return rabin_.find_cut(data, seen);
  if (data.size() < chunks.fixed_size) return {};
  return chunks.fixed_size;
}

size_t zero_chunk(const ChunkPolicy& chunks) {
  return chunks.kind == ChunkPolicy::Kind::Fixed ? chunks.fixed_size : kLeastChunk;
}

Id Saver::zero_id(size_t size) {
  const Lock lock(mutex_);
  const auto [found, fresh] = zeros_.try_emplace(size);
  if (fresh) found->second = hash(std::string(size, '\0'));
  return found->second;
}

void Saver::hash_plains(std::span<const std::string_view> plains, std::span<Id> ids) {
  std::vector<std::string_view> others;
  std::vector<size_t> places;
  for (size_t i = 0; i < plains.size(); ++i) {
    if (whole_pages(plains[i]) && is_zero(plains[i])) {
      ids[i] = zero_id(plains[i].size());
      continue;
    }
    others.push_back(plains[i]);
    places.push_back(i);
  }
  if (others.size() == plains.size()) return hash_all(plains, ids);
  std::vector<Id> hashed(others.size());
  hash_all(others, hashed);
  for (size_t i = 0; i < places.size(); ++i) ids[places[i]] = hashed[i];
}

Result<void> Saver::store(BlobType type, const Id& id, std::string_view plain) {
  if (!index_.claim(type, id)) return ok();
  const bool tree = type == BlobType::Tree;
  const bool compresses = index_.repository().config().version >= 2;
  const bool adapts = options_.compression == Compression::Auto;
  const int level = tree     ? kTreeLevel
                    : adapts ? level_of(Compression::Auto) + packer_.pressure()
                             : level_of(options_.compression);
  const std::string iv = index_.repository().surroundings().random.bytes(kIvSize);
  Workshop::Lent bench = index_.workshop().lend();
  const SealedBlob blob = seal_blob(*bench, type, id, plain, compresses ? level : 0, iv);
  ++(tree ? figures_.tree_blobs : figures_.data_blobs);
  figures_.data_added += plain.size();
  figures_.data_added_packed += blob.bytes.size();
  if (options_.dry_run) return ok();
  HF_TRY(packer_.add(blob));
  return write_index_if_due();
}

/// What is in an index is found again after a crash, and need not be kept at hand.
Result<void> Saver::write_index_if_due() {
  const MonoTime now = index_.repository().surroundings().clock.mono();
  MonoTime last = last_index_.load();
  const bool late = now - last >= kIndexEvery;
  if (late && !last_index_.compare_exchange_strong(last, now)) return ok();
  return write_index(index_.take_unwritten(late ? 1 : IndexWriter::kMostBlobs));
}

Result<void> Saver::save_blobs(BlobType type, std::span<const std::string_view> plains,
                               std::span<Id> ids) {
  hash_plains(plains, ids);
  for (size_t i = 0; i < plains.size(); ++i) HF_TRY(store(type, ids[i], plains[i]));
  return ok();
}

Result<Id> Saver::save_tree(const std::vector<Node>& nodes) {
  const std::string json = to_json(nodes);
  const std::string_view plain = json;
  Id id;
  HF_TRY(save_blobs(BlobType::Tree, {&plain, 1}, {&id, 1}));
  return id;
}

Result<void> Saver::write_index(std::vector<IndexedPack> packs) {
  IndexWriter writer(index_.repository());
  for (IndexedPack& pack : packs) HF_TRY(writer.add(std::move(pack)));
  return writer.finish();
}

void Saver::abandon() {
  // Whether that works or not: the failure that led here is what is told.
  (void)packer_.finish();
  (void)write_index(index_.take_unwritten());
}

Result<void> Saver::finish() {
  HF_TRY(packer_.finish());
  return write_index(index_.take_unwritten());
}

}  // namespace holdfast::repo
