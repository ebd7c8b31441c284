// Making and opening repositories, and the keys to them.
#include <holdfast/base/bytes.h>

#include "chunk/polynomial.h"
#include "open/config.h"
#include "open/key_file.h"
#include "open/opened.h"
#include "open/removal.h"

#include <fmt/format.h>

namespace holdfast::repo {
namespace {

/// restic's: more would let a stranger's folder of keys take minutes of scrypt.
constexpr size_t kMostKeysTried = 20;

Result<KeyFile> load_key(blob::Store& store, const Id& id) {
  const std::string place = place_of(FileType::Key, id);
  Result<std::string> json = store.get(place);
  if (!json) return json.take_error().with_context("read " + place);
  Result<KeyFile> file = parse_key_file(*json);
  if (!file) return file.take_error().with_context("read " + place);
  return file;
}

struct Unlocked {
  MasterKey key;
  Id id;
};

Result<Unlocked> try_keys(blob::Store& store, std::string_view password, std::string_view hint) {
  std::vector<Id> ids;
  HF_TRY(store.list("keys/", [&ids](const blob::Info& info) {
    if (const auto id = Id::from_hex(std::string_view(info.name).substr(5))) ids.push_back(*id);
  }));
  if (ids.empty())
    return Error(Fault::NotFound, fmt::format("open {}: no key is there", store.text()));
  std::optional<Error> trouble;
  size_t tried = 0;
  for (const Id& id : ids) {
    if (!hint.empty() && !id.hex().starts_with(hint)) continue;
    if (hint.empty() && ++tried > kMostKeysTried) break;
    const Result<KeyFile> file = load_key(store, id);
    if (!file) {
      trouble = file.error().copy();
      continue;
    }
    const Result<MasterKey> key = open_key_file(*file, password);
    if (key) return Unlocked{*key, id};
    if (key.error().fault() != Fault::Denied) trouble = key.error().copy();
  }
  if (trouble) return std::move(*trouble);
  return Error(Fault::Denied,
               fmt::format("open {}: wrong password, or no key for it", store.text()));
}

Result<void> refuse_existing(blob::Store& store) {
  const Result<blob::Info> there = store.stat("config");
  if (there)
    return Error(Fault::Conflict, fmt::format("{} holds a repository already", store.text()));
  if (there.error().fault() != Fault::NotFound) return there.error().copy();
  return ok();
}

Result<Id> put_key(blob::Store& store, const MasterKey& key, std::string_view password,
                   const Surroundings& surroundings) {
  const KeyFile file = HF_TRY(make_key_file(key, password, surroundings));
  const std::string json = to_json(file);
  const Id id = Id::from_raw(sha256(json));
  HF_TRY(store.put(place_of(FileType::Key, id), json, {.sha256 = id.raw()}));
  return id;
}

/// An init that was cut off before its config has left a key. A second one for the same password
/// would lock everybody out: whoever opens the repository takes the first that the password fits.
Result<Unlocked> first_key(blob::Store& store, std::string_view password,
                           const Surroundings& surroundings) {
  Result<Unlocked> left = try_keys(store, password, "");
  if (left || left.error().fault() == Fault::Unavailable) return left;
  const MasterKey key = make_master_key(surroundings.random);
  const Id id = HF_TRY(put_key(store, key, password, surroundings));
  return Unlocked{key, id};
}

}  // namespace

Result<std::unique_ptr<Opened>> init(std::shared_ptr<blob::Store> store, std::string_view password,
                                     const InitOptions& options, const Surroundings& surroundings) {
  if (password.empty() && !options.empty_password)
    return Error(Fault::Invalid, "an empty password protects nothing").with_hint("give a password");
  if (options.version < 1 || options.version > 2)
    return Error(Fault::Invalid, fmt::format("version {} is not known: 1 or 2", options.version));
  HF_TRY(refuse_existing(*store));
  Config config;
  config.version = options.version;
  config.id = hex(surroundings.random.bytes(32));
  config.polynomial =
      options.polynomial != 0 ? options.polynomial : draw_polynomial(surroundings.random);
  config.text = fmt::format(R"({{"version":{},"id":"{}","chunker_polynomial":"{:x}"}})",
                            config.version, config.id, config.polynomial);
  const Unlocked unlocked = HF_TRY(first_key(*store, password, surroundings));
  auto made = std::make_unique<KeyedRepository>(std::move(store), unlocked.key, unlocked.id, config,
                                                surroundings);
  // The config comes last: what has one is a repository.
  const std::string sealed = made->seal(config.text);
  Result<void> written =
      made->store().put("config", sealed, {.sha256 = sha256(sealed), .exclusive = true});
  if (!written) return written.take_error().with_context("write config");
  return std::unique_ptr<Opened>(std::move(made));
}

Result<std::unique_ptr<Opened>> open(std::shared_ptr<blob::Store> store, std::string_view password,
                                     const Surroundings& surroundings, std::string_view key_hint) {
  Result<std::string> sealed = store->get("config");
  if (!sealed && sealed.error().fault() == Fault::NotFound)
    return Error(Fault::NotFound, fmt::format("{} holds no repository", store->text()))
        .with_hint("holdfast repo init makes one");
  if (!sealed) return sealed.take_error().with_context("read config");
  const Unlocked unlocked = HF_TRY(try_keys(*store, password, key_hint));
  Result<std::string> plain = Sealer(unlocked.key).open(*sealed);
  if (!plain) return plain.take_error().with_context("read config");
  Result<Config> config = parse_config(plain.take());
  if (!config) return config.take_error().with_context("read config");
  return std::unique_ptr<Opened>(std::make_unique<KeyedRepository>(
      std::move(store), unlocked.key, unlocked.id, config.take(), surroundings));
}

Result<std::vector<KeyInfo>> list_keys(Opened& repository) {
  std::vector<KeyInfo> out;
  for (const Id& id : HF_TRY(repository.list(FileType::Key))) {
    const KeyFile file = HF_TRY(load_key(repository.store(), id));
    out.push_back({id, file.user, file.host, file.created, id == repository.key()});
  }
  return out;
}

Result<Id> add_key(Opened& repository, std::string_view password) {
  if (password.empty()) return Error(Fault::Invalid, "an empty password protects nothing");
  const auto& keyed = static_cast<KeyedRepository&>(repository);
  return put_key(repository.store(), keyed.master_key(), password, repository.surroundings());
}

Result<void> remove_key(Opened& repository, const Id& id) {
  if (id == repository.key())
    return Error(Fault::Invalid, fmt::format("key {} is the one in use", id.hex()))
        .with_hint("open the repository with another password first");
  return remove_all(repository, FileType::Key, {id});
}

Result<Id> change_password(Opened& repository, std::string_view password) {
  const Id fresh = HF_TRY(add_key(repository, password));
  // The old one may go only when the new one is known to open the repository.
  const KeyFile file = HF_TRY(load_key(repository.store(), fresh));
  HF_TRY(open_key_file(file, password));
  HF_TRY(remove_all(repository, FileType::Key, {repository.key()}));
  return fresh;
}

}  // namespace holdfast::repo
