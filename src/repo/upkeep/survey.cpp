#include "upkeep/survey.h"

#include "hash/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::repo {
namespace {

bool by_offset(const PackedBlob& a, const PackedBlob& b) { return a.offset < b.offset; }

class Surveyor {
 public:
  Surveyor(KeyedRepository& repository, const Scratch& scratch)
      : repository_(repository), scratch_(scratch) {}

  Result<void> read_all(const std::function<void(const CheckProgress&)>& progress,
                        const std::stop_token& stop) {
    std::set<Id> done;
    for (bool again = true; again;) {
      again = false;
      const std::vector<Id> ids = HF_TRY(repository_.list(FileType::Index));
      for (const Id& id : ids) {
        if (stop.stop_requested()) return Error(Fault::Unavailable, "stopped");
        if (!done.insert(id).second) continue;
        Result<bool> there = read(id);
        if (!there) return there.take_error();
        HF_TRY(spill_if_large());
        // Whoever removes an index file has written what takes its place before.
        again = again || !*there;
        progress({CheckProgress::Stage::Index, done.size(), ids.size()});
      }
    }
    return ok();
  }

  Result<Survey> take() {
    add_marked();
    IndexTables tables;
    if (writer_) {
      HF_TRY(spill());
      Result<MappedIndex> merged = writer_->finish(false);
      scratch_failed_ = !merged;
      if (!merged) return merged.take_error();
      tables.mapped = std::make_unique<MappedIndex>(merged.take());
      tables.used.push_back(tables.mapped->index.table(false));
    } else {
      table_.sort();
      tables.used.push_back(std::move(table_));
    }
    out_.index = std::make_unique<IndexedRepository>(repository_, std::move(tables));
    return std::move(out_);
  }
  /// What went wrong was the scratch folder, not the repository.
  bool scratch_failed() const { return scratch_failed_; }

 private:
  /// False if the file has gone.
  Result<bool> read(const Id& id) {
    Result<std::string> json = repository_.load(FileType::Index, id);
    if (!json && json.error().fault() == Fault::NotFound) return false;
    if (!json && json.error().fault() != Fault::Corrupt) return json.take_error();
    // A file that breaks off in the middle gives what stood before: it may be all there is.
    const size_t file = out_.files.size();
    out_.files.push_back({.id = id});
    Result<void> parsed = json ? parse_index(*json,
                                             [&](const IndexedPack& pack) {
                                               add(file, pack);
                                               return ok();
                                             })
                               : json.take_error();
    if (!parsed) damage(fmt::format("index {}", id.hex()), parsed.error().what());
    return true;
  }

  Result<void> spill_if_large() {
    if (scratch_.folder.empty() || table_.size() <= scratch_.most_in_memory) return ok();
    return spill();
  }

  /// Numbers of packs stay as they are: they are given in the order in which packs are added.
  Result<void> spill() {
    table_.sort();
    const CacheRow row{.file = Id(), .packs = table_.packs().size()};
    Result<void> written = [&]() -> Result<void> {
      const auto owner = cache_owner(repository_.master_key(), repository_.config().id);
      if (!writer_)
        writer_ = std::make_unique<CacheWriter>(
            HF_TRY(CacheWriter::create(scratch_.folder.string(), "", owner)));
      return writer_->add(false, table_, {&row, 1});
    }();
    scratch_failed_ = !written;
    table_ = IndexTable();
    return written;
  }

  void add(size_t file, IndexedPack pack) {
    if (!pack.marked_at.empty()) {
      marked_.emplace_back(file, std::move(pack));
      return;
    }
    std::sort(pack.blobs.begin(), pack.blobs.end(), by_offset);
    const Id contents = hash(encode_header(pack.blobs));
    const auto [known, fresh] = known_.try_emplace(pack.id, Known{contents, next_});
    if (!fresh && known->second.contents == contents) {
      out_.files[file].packs.push_back(known->second.number);
      damage(fmt::format("index {}", out_.files[file].id.hex()),
             fmt::format("pack {} is in another index too", pack.id.hex()), true);
      return;
    }
    if (!fresh)
      damage(fmt::format("pack {}", pack.id.hex()),
             fmt::format("index {} says other than another index", out_.files[file].id.hex()));
    append(file, pack);
    const SurveyedPack& entry = out_.packs.back();
    if (entry.data && entry.trees && repository_.config().version >= 2)
      damage(fmt::format("pack {}", pack.id.hex()), "it holds data and trees", true);
  }

  void append(size_t file, const IndexedPack& pack) {
    table_.add(pack);
    SurveyedPack entry{.size = header_size(pack.blobs),
                       .blobs = uint32_t(pack.blobs.size()),
                       .marked_at = pack.marked_at};
    for (const PackedBlob& blob : pack.blobs) {
      entry.size += blob.length;
      (blob.type == BlobType::Tree ? entry.trees : entry.data) = true;
    }
    // A pack that was in no index is marked without its blobs.
    if (!pack.marked_at.empty() && pack.blobs.empty()) entry.size = pack.size;
    out_.packs.push_back(std::move(entry));
    out_.files[file].packs.push_back(next_++);
  }

  /// A pack that another index uses is not to be deleted: whoever marked it or took it back died
  /// before the older index was gone.
  void add_marked() {
    for (auto& [file, pack] : marked_) {
      const auto [known, fresh] = known_.try_emplace(pack.id, Known{Id(), next_});
      if (fresh)
        append(file, pack);
      else
        out_.files[file].packs.push_back(known->second.number);
    }
  }

  void damage(std::string place, std::string what, bool hint = false) {
    out_.damages.push_back({std::move(place), std::move(what), hint});
  }

  struct Known {
    Id contents{};
    uint32_t number = 0;
  };
  KeyedRepository& repository_;
  const Scratch& scratch_;
  std::unique_ptr<CacheWriter> writer_;
  bool scratch_failed_ = false;
  Survey out_;
  IndexTable table_;
  std::unordered_map<Id, Known, IdHash> known_;
  std::vector<std::pair<size_t, IndexedPack>> marked_;  ///< with the file that says so
  uint32_t next_ = 0;
};

}  // namespace

Result<Survey> survey(KeyedRepository& repository, const Scratch& scratch,
                      const std::function<void(const CheckProgress&)>& progress,
                      const std::stop_token& stop) {
  Surveyor surveyor(repository, scratch);
  Result<void> read = surveyor.read_all(progress, stop);
  Result<Survey> done = read ? surveyor.take() : read.take_error();
  if (done || !surveyor.scratch_failed()) return done;
  // A full or read-only folder of caches must not stand in the way of a check.
  return survey(repository, {}, progress, stop);
}

PackContents::PackContents(const Survey& survey) : table_(survey.table()) {
  begin_.assign(survey.packs.size() + 1, 0);
  for (size_t pack = 0; pack < survey.packs.size(); ++pack)
    begin_[pack + 1] = begin_[pack] + survey.packs[pack].blobs;
  positions_.resize(begin_.back());
  std::vector<uint64_t> next(begin_.begin(), begin_.end() - 1);
  const size_t data = table_.blobs(BlobType::Data);
  for (size_t at = 0; at < data; ++at)
    positions_[next[table_.pack_at(BlobType::Data, at)]++] = uint32_t(at);
  for (size_t at = 0; at < table_.blobs(BlobType::Tree); ++at)
    positions_[next[table_.pack_at(BlobType::Tree, at)]++] = uint32_t(data + at);
}

std::vector<PackContents::Place> PackContents::places(uint32_t pack) const {
  const size_t data = table_.blobs(BlobType::Data);
  std::vector<Place> out;
  out.reserve(begin_[pack + 1] - begin_[pack]);
  for (uint64_t at = begin_[pack]; at < begin_[pack + 1]; ++at) {
    const size_t position = positions_[at];
    if (position < data)
      out.push_back({BlobType::Data, position});
    else
      out.push_back({BlobType::Tree, position - data});
  }
  return out;
}

std::vector<PackedBlob> PackContents::blobs(uint32_t pack) const {
  std::vector<PackedBlob> out;
  for (const Place& place : places(pack)) {
    const Location where = table_.location_at(place.type, place.position);
    out.push_back({place.type, table_.id_at(place.type, place.position), where.offset, where.length,
                   where.plain_length});
  }
  std::sort(out.begin(), out.end(), by_offset);
  return out;
}

Result<std::vector<StoredPack>> list_packs(Opened& repository,
                                           const std::function<void(const std::string&)>& stray) {
  std::vector<StoredPack> packs;
  Result<void> listed = repository.store().list("data/", [&](const blob::Info& info) {
    const size_t slash = info.name.rfind('/');
    const auto id = Id::from_hex(std::string_view(info.name).substr(slash + 1));
    if (!id) return;
    if (place_of(FileType::Pack, *id) == info.name)
      packs.push_back({*id, info.size});
    else
      stray(info.name);
  });
  if (!listed) return listed.take_error().with_context("list packs");
  std::sort(packs.begin(), packs.end(),
            [](const StoredPack& a, const StoredPack& b) { return a.id < b.id; });
  return packs;
}

const StoredPack* find_pack(const std::vector<StoredPack>& packs, const Id& id) {
  const auto found =
      std::lower_bound(packs.begin(), packs.end(), id,
                       [](const StoredPack& pack, const Id& wanted) { return pack.id < wanted; });
  return found != packs.end() && found->id == id ? &*found : nullptr;
}

}  // namespace holdfast::repo
