// Opening a repository, and the keys to it.
#include "open/config.h"
#include "open/opened.h"
#include "open/removal.h"
#include "open/unlock.h"

#include <fmt/format.h>

namespace holdfast::repo {

Result<void> expect_repository(blob::Store& store) {
  const Result<blob::Info> config = store.stat("config");
  if (config) return ok();
  if (config.error().fault() != Fault::NotFound)
    return config.error().copy().with_context("read config");
  const Result<std::vector<Id>> keys = list_key_ids(store);
  if (keys && !keys->empty())
    return Error(Fault::NotFound, fmt::format("{} has lost its config, or an init was cut off: "
                                              "there are keys, and no config",
                                              store.text()))
        .with_hint("put its config back: nothing can be read without; or holdfast repo init");
  return Error(Fault::NotFound, fmt::format("{} holds no repository", store.text()))
      .with_hint("holdfast repo init makes one");
}

Result<std::unique_ptr<Opened>> open(std::shared_ptr<blob::Store> store, std::string_view password,
                                     const Surroundings& surroundings, std::string_view key_hint) {
  Result<std::string> sealed = store->get("config");
  if (!sealed && sealed.error().fault() == Fault::NotFound) HF_TRY(expect_repository(*store));
  if (!sealed) return sealed.take_error().with_context("read config");
  std::string plain;
  // Not the first that the password opens: an init that was cut off may have left a key of its own.
  const KeyTest opens = [&](const MasterKey& key) {
    Result<std::string> opened = Sealer(key).open(*sealed);
    if (opened) plain = opened.take();
    return bool(opened);
  };
  const Unlocked unlocked = HF_TRY(unlock(*store, password, key_hint, opens));
  Result<Config> config = parse_config(std::move(plain));
  if (!config) return config.take_error().with_context("read config");
  return std::unique_ptr<Opened>(std::make_unique<KeyedRepository>(
      std::move(store), unlocked.key, unlocked.id, config.take(), surroundings));
}

Result<std::vector<KeyInfo>> list_keys(Opened& repository) {
  std::vector<KeyInfo> out;
  for (const Id& id : HF_TRY(repository.list(FileType::Key))) {
    const StoredKey stored = HF_TRY(load_key(repository.store(), id));
    const KeyFile& file = stored.file;
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
  const StoredKey stored = HF_TRY(load_key(repository.store(), fresh));
  HF_TRY(open_key_file(stored.file, password));
  HF_TRY(remove_all(repository, FileType::Key, {repository.key()}));
  return fresh;
}

}  // namespace holdfast::repo
