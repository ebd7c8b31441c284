#include "open/opened.h"

#include <holdfast/base/bytes.h>

#include "open/removal.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

/// First byte of an unpacked file that is compressed; others begin as JSON does.
constexpr char kCompressedMark = 2;
/// restic's level for what is always compressed.
constexpr int kLevel = 3;
/// Larger is no index, snapshot or lock.
constexpr size_t kMostPlain = size_t{1} << 30;

std::string_view noun_of(FileType type) {
  switch (type) {
    case FileType::Config:
      return "config";
    case FileType::Key:
      return "key";
    case FileType::Snapshot:
      return "snapshot";
    case FileType::Index:
      return "index";
    case FileType::Lock:
      return "lock";
    case FileType::Pack:
      return "pack";
  }
  return "";
}

}  // namespace

std::string_view folder_of(FileType type) {
  switch (type) {
    case FileType::Config:
      return "";
    case FileType::Key:
      return "keys/";
    case FileType::Snapshot:
      return "snapshots/";
    case FileType::Index:
      return "index/";
    case FileType::Lock:
      return "locks/";
    case FileType::Pack:
      return "data/";
  }
  return "";
}

std::string place_of(FileType type, const Id& id) {
  if (type == FileType::Config) return "config";
  const std::string name = id.hex();
  if (type == FileType::Pack) return fmt::format("data/{}/{}", name.substr(0, 2), name);
  return std::string(folder_of(type)) + name;
}

KeyedRepository::KeyedRepository(std::shared_ptr<blob::Store> store, MasterKey key, Id key_id,
                                 Config config, const Surroundings& surroundings)
    : store_(std::move(store)),
      key_(key),
      key_id_(key_id),
      config_(std::move(config)),
      surroundings_(surroundings),
      sealer_(key) {}

std::string KeyedRepository::seal(std::string_view plain) {
  std::string out(plain.size() + kSealOverhead, '\0');
  const std::string iv = surroundings_.random.bytes(kIvSize);
  const Lock lock(mutex_);
  sealer_.seal(plain, iv, out.data());
  return out;
}

Result<std::string> KeyedRepository::unseal(std::string_view sealed) {
  const Lock lock(mutex_);
  return sealer_.open(sealed);
}

Result<std::string> KeyedRepository::load(FileType type, const Id& id) {
  const std::string what = type == FileType::Config
                               ? std::string("read config")
                               : fmt::format("read {} {}", noun_of(type), id.hex());
  Result<std::string> stored = store_->get(place_of(type, id));
  if (!stored) return stored.take_error().with_context(what);
  if (type != FileType::Config && sha256(*stored) != id.raw())
    return Error(Fault::Corrupt, fmt::format("{}: its bytes are not those of its name", what));
  if (type == FileType::Key || type == FileType::Pack) return stored;
  Result<std::string> plain = unseal(*stored);
  if (!plain) return plain.take_error().with_context(what);
  if (plain->empty() || plain->front() == '{' || plain->front() == '[') return plain;
  if (plain->front() != kCompressedMark)
    return Error(Fault::Corrupt, fmt::format("{}: written in a form that is not known ({})", what,
                                             int(plain->front())));
  const Lock lock(mutex_);
  Result<std::string> json = compressor_.decompress(std::string_view(*plain).substr(1), kMostPlain);
  if (!json) return json.take_error().with_context(what);
  return json;
}

Result<Id> KeyedRepository::save(FileType type, std::string_view json) {
  std::string compressed;
  if (config_.version >= 2) {
    compressed.resize(1 + Compressor::bound(json.size()));
    compressed[0] = kCompressedMark;
    const Lock lock(mutex_);
    compressed.resize(1 + compressor_.compress(json, kLevel, compressed.data() + 1));
    compressed.shrink_to_fit();
  }
  const std::string sealed = seal(config_.version >= 2 ? std::string_view(compressed) : json);
  const Id id = Id::from_raw(sha256(sealed));
  Result<void> written = store_->put(place_of(type, id), sealed, {.sha256 = id.raw()});
  if (!written) return written.take_error().with_context(fmt::format("write {}", noun_of(type)));
  return id;
}

Result<std::vector<Id>> KeyedRepository::list(FileType type) {
  std::vector<Id> ids;
  // Files that are no ids are another program's business.
  Result<void> listed = store_->list(std::string(folder_of(type)), [&ids](const blob::Info& info) {
    const size_t slash = info.name.rfind('/');
    const auto id = Id::from_hex(std::string_view(info.name).substr(slash + 1));
    if (id) ids.push_back(*id);
  });
  if (!listed) return listed.take_error().with_context(fmt::format("list {}s", noun_of(type)));
  std::sort(ids.begin(), ids.end());
  return ids;
}

Result<void> KeyedRepository::remove(FileType type, const Id& id) {
  HF_TRY(may_remove(*this, type));
  Result<void> removed = store_->remove(place_of(type, id));
  if (!removed)
    return removed.take_error().with_context(fmt::format("remove {} {}", noun_of(type), id.hex()));
  return ok();
}

Result<Id> KeyedRepository::find(FileType type, std::string_view beginning) {
  std::vector<Id> found = HF_TRY(list(type));
  std::erase_if(found, [beginning](const Id& id) { return !id.hex().starts_with(beginning); });
  if (found.size() == 1) return found.front();
  if (found.empty())
    return Error(Fault::NotFound,
                 fmt::format("no {} begins with \"{}\"", noun_of(type), beginning));
  return Error(Fault::Invalid,
               fmt::format("{} {}s begin with \"{}\"", found.size(), noun_of(type), beginning));
}

}  // namespace holdfast::repo
