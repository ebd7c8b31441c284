#include "upkeep/repack.h"

#include "hash/sha256.h"

#include <fmt/format.h>

#include <atomic>

namespace holdfast::repo {
namespace {

constexpr int kLevel = 3;

class Repacker {
 public:
  Repacker(IndexedRepository& index, const PackContents& contents,
           const std::function<bool(BlobType, size_t)>& wanted, const RepackOptions& options,
           Packer& packer)
      : index_(index), contents_(contents), wanted_(wanted), options_(options), packer_(packer) {}

  Result<void> copy_pack(uint32_t pack) {
    const IndexTable& table = index_.table();
    std::vector<PackContents::Place> places = contents_.places(pack);
    std::erase_if(places, [this](const auto& p) { return !wanted_(p.type, p.position); });
    std::vector<blob::Range> ranges;
    for (const auto& place : places) {
      const Location where = table.location_at(place.type, place.position);
      ranges.push_back({where.offset, where.length});
    }
    std::vector<bool> copied(places.size());
    std::optional<Error> failed;
    Result<void> read =
        blob::get_ranges(index_.repository().store(), place_of(FileType::Pack, table.packs()[pack]),
                         ranges, [&](size_t i, std::string_view sealed) -> Result<void> {
                           Result<void> done = copy_blob(places[i], sealed);
                           copied[i] = bool(done);
                           if (!done) failed = done.error().copy();
                           return done;
                         });
    if (failed) return std::move(*failed);
    // A pack that cannot be read: what it held may be in others too.
    for (size_t i = 0; i < places.size() && !read; ++i)
      if (!copied[i]) HF_TRY(copy_from_elsewhere(places[i]));
    return ok();
  }

 private:
  Result<void> copy_blob(const PackContents::Place& place, std::string_view sealed) {
    const Id& id = index_.table().id_at(place.type, place.position);
    const Location where = index_.table().location_at(place.type, place.position);
    // Lent until the pack has the bytes, which may be the bench's.
    Workshop::Lent bench = index_.workshop().lend();
    std::string plain;
    if (!open_blob(*bench, id, where, sealed, plain)) return copy_from_elsewhere(place);
    if (options_.compress && where.plain_length == 0)
      return packer_.add(seal_blob(*bench, place.type, id, plain, kLevel, iv()));
    return packer_.add({{place.type, id, 0, where.length, where.plain_length}, sealed});
  }

  Result<void> copy_from_elsewhere(const PackContents::Place& place) {
    const Id& id = index_.table().id_at(place.type, place.position);
    const std::string plain = HF_TRY(index_.read(place.type, id));
    Workshop::Lent bench = index_.workshop().lend();
    const bool compresses = index_.repository().config().version >= 2;
    return packer_.add(seal_blob(*bench, place.type, id, plain, compresses ? kLevel : 0, iv()));
  }

  std::string iv() { return index_.repository().surroundings().random.bytes(kIvSize); }

  IndexedRepository& index_;
  const PackContents& contents_;
  const std::function<bool(BlobType, size_t)>& wanted_;
  const RepackOptions& options_;
  Packer& packer_;
};

}  // namespace

Result<void> repack(IndexedRepository& index, const PackContents& contents,
                    const std::vector<uint32_t>& packs,
                    const std::function<bool(BlobType, size_t)>& wanted,
                    const RepackOptions& options,
                    const std::function<void(const IndexedPack&)>& stored,
                    const std::function<void(uint64_t)>& progress, const std::stop_token& stop) {
  if (packs.empty()) return ok();
  Packer packer(index.repository(), index.workshop(),
                {.pack_size = options.pack_size, .uploads = options.threads}, stored);
  Repacker repacker(index, contents, wanted, options, packer);
  std::atomic<size_t> next{0}, done{0};
  Mutex mutex;
  std::optional<Error> failed;
  const auto work = [&] {
    for (size_t at = next++; at < packs.size(); at = next++) {
      Result<void> copied = stop.stop_requested() ? Error(Fault::Unavailable, "stopped")
                                                  : repacker.copy_pack(packs[at]);
      const Lock lock(mutex);
      if (!copied && !failed) failed = copied.take_error();
      if (failed) return;
      progress(++done);
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (int i = 1; i < options.threads; ++i) helpers.emplace_back(work);
    work();
  }
  if (failed) return std::move(*failed).with_context("copy what is needed of packs that are going");
  return packer.finish();
}

}  // namespace holdfast::repo
