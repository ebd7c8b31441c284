//   head      4096 bytes: mark, byte order, repository (32), counts of packs, rows and entries of
//             each section (8 each), SHA-256 of the digests (32), seal (32), zeros
//   packs     ID (32) each; their numbers are their places
//   entries   of four sections (in use, then marked; each data, then trees), 48 bytes each, sorted:
//             ID, number of the pack, offset, length, length when plain (4 each)
//   fences    of the four sections: the first eight bytes of every sixteenth ID, as a number
//   rows      which index file told of the next N packs: ID, N (8)
//   tags      of the four sections: the last two bytes of every ID, as a number
//   digests   SHA-256 of each MiB between the head and here
//   seal = SHA-256(key ‖ head up to here ‖ digests' SHA-256), key = SHA-256(words ‖ master key)
//
// Numbers are in the machine's byte order: a cache of another machine is foreign. There are names
// of blobs and packs in it, in plain, which whoever has the files could work out; neither keys nor
// anything of what is backed up. All of it is verified when it is opened: a damage that showed only
// at a lookup would be a blob that is not found, too late to ask the repository instead.
#include "index/cache_file.h"

#include "hash/sha256.h"

#include <algorithm>
#include <cstring>

namespace holdfast::repo {
namespace {

constexpr std::string_view kMark = "holdfast index 1";
constexpr uint64_t kByteOrder = 0x0102030405060708;
/// More than any repository has, and far from where sums overflow.
constexpr uint64_t kMostOfAny = uint64_t{1} << 40;

struct Head {
  char mark[16];
  uint64_t byte_order;
  Id repository;
  CacheCounts counts;
  Id digests;
  Id seal;
};
static_assert(sizeof(IndexTable::Entry) == 48 && sizeof(CacheRow) == 40);
static_assert(std::is_trivially_copyable_v<Head> && sizeof(Head) <= kCacheHead);

std::string_view raw(const Head& head, size_t size) {
  return {reinterpret_cast<const char*>(&head), size};
}

Id seal_of(const CacheOwner& owner, const Head& head) {
  return hash(std::string(owner.key.raw()) += raw(head, offsetof(Head, seal)));
}

uint64_t fences_for(uint64_t entries) {
  return (entries + IndexTable::kFenceEvery - 1) / IndexTable::kFenceEvery;
}

Error no_cache(std::string_view why) {
  return {Fault::Corrupt, "index cache: " + std::string(why)};
}

/// Two at a time, which takes as long as one.
Result<void> verify_chunks(std::string_view body, std::span<const Id> digests,
                           const std::function<void(uint64_t, uint64_t)>& done) {
  for (size_t first = 0; first < digests.size(); first += 2) {
    std::string_view chunks[2];
    Id found[2];
    const size_t count = std::min<size_t>(2, digests.size() - first);
    for (size_t i = 0; i < count; ++i)
      chunks[i] = body.substr((first + i) * kCacheChunk, kCacheChunk);
    hash_all({chunks, count}, {found, count});
    for (size_t i = 0; i < count; ++i)
      if (found[i] != digests[first + i]) return no_cache("its bytes are not as they were written");
    done(kCacheHead + first * kCacheChunk, 2 * kCacheChunk);
  }
  return ok();
}

}  // namespace

CacheOwner cache_owner(const MasterKey& key, std::string_view repository) {
  std::string words = "holdfast index cache";
  for (const std::span<const uint8_t> part :
       {std::span<const uint8_t>(key.encrypt), std::span<const uint8_t>(key.mac_k),
        std::span<const uint8_t>(key.mac_r)})
    words.append(part.begin(), part.end());
  return {hash(words), hash(repository)};
}

std::optional<CacheLayout> CacheLayout::of(const CacheCounts& counts) {
  CacheLayout layout;
  uint64_t at = kCacheHead;
  bool fits = true;
  const auto place = [&at, &fits](uint64_t& part, uint64_t count, uint64_t size) {
    fits = fits && count <= kMostOfAny;
    part = at;
    at += count * size;
  };
  place(layout.packs, counts.packs, sizeof(Id));
  for (size_t i = 0; i < kCacheSections; ++i)
    place(layout.entries[i], counts.entries[i], sizeof(IndexTable::Entry));
  for (size_t i = 0; i < kCacheSections; ++i)
    place(layout.fences[i], fences_for(counts.entries[i]), sizeof(uint64_t));
  place(layout.rows, counts.rows, sizeof(CacheRow));
  for (size_t i = 0; i < kCacheSections; ++i)
    place(layout.tags[i], counts.entries[i], sizeof(uint16_t));
  const uint64_t chunks = (at - kCacheHead + kCacheChunk - 1) / kCacheChunk;
  place(layout.digests, chunks, sizeof(Id));
  layout.end = at;
  if (!fits) return {};
  return layout;
}

std::string cache_head(const CacheOwner& owner, const CacheCounts& counts,
                       std::string_view digests) {
  Head head{};
  std::memcpy(head.mark, kMark.data(), sizeof head.mark);
  head.byte_order = kByteOrder;
  head.repository = owner.repository;
  head.counts = counts;
  head.digests = hash(digests);
  head.seal = seal_of(owner, head);
  std::string out(raw(head, sizeof head));
  out.resize(kCacheHead, '\0');
  return out;
}

Result<CachedIndex> CachedIndex::open(std::string_view bytes, const CacheOwner& owner,
                                      const std::function<void(uint64_t, uint64_t)>& done) {
  if (bytes.size() < kCacheHead) return no_cache("it is cut off");
  Head head{};
  std::memcpy(&head, bytes.data(), sizeof head);
  if (std::string_view(head.mark, sizeof head.mark) != kMark || head.byte_order != kByteOrder)
    return no_cache("it is of another program or version");
  if (head.repository != owner.repository) return no_cache("it is of another repository");
  if (head.seal != seal_of(owner, head)) return no_cache("its head is not as it was written");
  const std::optional<CacheLayout> layout = CacheLayout::of(head.counts);
  if (!layout || layout->end != bytes.size()) return no_cache("its size is wrong");
  if (bytes.substr(sizeof head, kCacheHead - sizeof head).find_first_not_of('\0') !=
      std::string_view::npos)
    return no_cache("something stands after its head");
  CachedIndex index(bytes, head.counts, *layout);
  const std::string_view digests = bytes.substr(layout->digests);
  if (hash(digests) != head.digests) return no_cache("its digests are not as they were written");
  HF_TRY(verify_chunks(bytes.substr(0, layout->digests).substr(kCacheHead),
                       index.part<Id>(layout->digests, digests.size() / sizeof(Id)), done));
  uint64_t packs = 0;
  for (const CacheRow& row : index.rows()) packs += std::min(row.packs, kMostOfAny);
  if (packs != head.counts.packs) return no_cache("its packs are of no index file");
  return index;
}

template <class T>
std::span<const T> CachedIndex::part(uint64_t offset, uint64_t count) const {
  return {reinterpret_cast<const T*>(bytes_.data() + offset), size_t(count)};
}

std::span<const IndexTable::Entry> CachedIndex::entries(size_t section) const {
  return part<IndexTable::Entry>(layout_.entries[section], counts_.entries[section]);
}

std::span<const Id> CachedIndex::packs() const { return part<Id>(layout_.packs, counts_.packs); }

std::span<const CacheRow> CachedIndex::rows() const {
  return part<CacheRow>(layout_.rows, counts_.rows);
}

std::set<Id> CachedIndex::files() const {
  std::set<Id> files;
  for (const CacheRow& row : rows()) files.insert(row.file);
  return files;
}

IndexTable CachedIndex::table(bool marked) const {
  const auto section = [this, marked](BlobType type) {
    const size_t i = cache_section(marked, type);
    return IndexTable::Section{entries(i),
                               part<uint64_t>(layout_.fences[i], fences_for(counts_.entries[i])),
                               part<uint16_t>(layout_.tags[i], counts_.entries[i])};
  };
  return {section(BlobType::Data), section(BlobType::Tree), packs()};
}

}  // namespace holdfast::repo
