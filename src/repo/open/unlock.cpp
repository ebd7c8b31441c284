#include "open/unlock.h"

#include <holdfast/base/bytes.h>

#include "open/opened.h"

#include <fmt/format.h>

namespace holdfast::repo {
namespace {

/// restic's: more would let a stranger's folder of keys take minutes of scrypt.
constexpr size_t kMostKeysTried = 20;

}  // namespace

Result<std::vector<Id>> list_key_ids(blob::Store& store) {
  std::vector<Id> ids;
  HF_TRY(store.list("keys/", [&ids](const blob::Info& info) {
    if (const auto id = Id::from_hex(std::string_view(info.name).substr(5))) ids.push_back(*id);
  }));
  return ids;
}

Result<StoredKey> load_key(blob::Store& store, const Id& id) {
  const std::string place = place_of(FileType::Key, id);
  Result<std::string> json = store.get(place);
  if (!json) return json.take_error().with_context("read " + place);
  Result<KeyFile> file = parse_key_file(*json);
  if (!file) return file.take_error().with_context("read " + place);
  return StoredKey{file.take(), Id::from_raw(sha256(*json)) == id};
}

Result<Id> put_key(blob::Store& store, const MasterKey& key, std::string_view password,
                   const Surroundings& surroundings) {
  const KeyFile file = HF_TRY(make_key_file(key, password, surroundings));
  const std::string json = to_json(file);
  const Id id = Id::from_raw(sha256(json));
  HF_TRY(store.put(place_of(FileType::Key, id), json, {.sha256 = id.raw()}));
  return id;
}

Result<Unlocked> unlock(blob::Store& store, std::string_view password, std::string_view hint,
                        const KeyTest& belongs) {
  const std::vector<Id> ids = HF_TRY(list_key_ids(store));
  if (ids.empty())
    return Error(Fault::NotFound, fmt::format("open {}: no key is there", store.text()))
        .with_hint(
            "the repository cannot be read without a key: put a copy of its keys folder back");
  std::optional<Error> trouble, foreign;
  size_t tried = 0;
  for (const Id& id : ids) {
    if (!hint.empty() && !id.hex().starts_with(hint)) continue;
    if (hint.empty() && ++tried > kMostKeysTried) break;
    const Result<StoredKey> stored = load_key(store, id);
    if (!stored) {
      trouble = stored.error().copy();
      continue;
    }
    const Result<MasterKey> key = open_key_file(stored->file, password);
    if (key && belongs(*key)) return Unlocked{*key, id};
    const std::string place = place_of(FileType::Key, id);
    if (key)
      foreign = Error(Fault::Corrupt, "the config is damaged, or not sealed with " + place);
    else if (!stored->whole)
      trouble = Error(Fault::Corrupt, "read " + place + ": its bytes are not those of its name");
    else if (key.error().fault() != Fault::Denied)
      trouble = key.error().copy();
  }
  if (foreign) return std::move(*foreign);
  if (trouble) return std::move(*trouble);
  return Error(Fault::Denied,
               fmt::format("open {}: wrong password, or no key for it", store.text()));
}

}  // namespace holdfast::repo
