// Making a repository: a key, then the config that it seals.
//
// Whoever opens a repository with restic gets the first key that the password fits, and no other
// if that one does not open the config; a key file that cannot be read is the end of it. So a new
// repository must have no keys but its own. An init that was cut off has left one: if the password
// fits it is taken up, and what else was there goes once the config stands. Not before: it may be
// the key of somebody who is making this repository right now, and who is quicker.
#include <holdfast/base/bytes.h>

#include "chunk/polynomial.h"
#include "open/opened.h"
#include "open/removal.h"
#include "open/unlock.h"

#include <fmt/format.h>

namespace holdfast::repo {
namespace {

Error exists(const blob::Store& store) {
  return {Fault::Conflict, fmt::format("{} holds a repository already", store.text())};
}

/// What is sealed with a key that another config would not have is lost to everybody.
Result<void> refuse_existing(blob::Store& store) {
  const Result<blob::Info> there = store.stat("config");
  if (there) return exists(store);
  if (there.error().fault() != Fault::NotFound) return there.error().copy();
  for (const std::string prefix : {"snapshots/", "index/", "data/"}) {
    uint64_t files = 0;
    HF_TRY(store.list(prefix, [&files](const blob::Info&) { ++files; }));
    if (files > 0)
      return Error(Fault::Conflict,
                   fmt::format("{} holds a repository that has lost its config: {} files in {}",
                               store.text(), files, prefix))
          .with_hint("put its config back, or choose another place");
  }
  return ok();
}

struct FirstKey {
  Unlocked unlocked;
  bool fresh = false;           ///< not left by another init
  std::vector<Id> left_over{};  ///< keys of no use
};

Result<FirstKey> first_key(blob::Store& store, std::string_view password,
                           const Surroundings& surroundings) {
  std::vector<Id> left = HF_TRY(list_key_ids(store));
  for (size_t at = 0; at < left.size(); ++at) {
    const Id id = left[at];
    const Result<StoredKey> stored = load_key(store, id);
    // One that cannot be got at is not one that is of no use.
    if (!stored &&
        (stored.error().fault() == Fault::Unavailable || stored.error().fault() == Fault::Denied))
      return stored.error().copy();
    if (!stored || !stored->whole) continue;
    Result<MasterKey> key = open_key_file(stored->file, password);
    if (!key) continue;
    left.erase(left.begin() + int64_t(at));
    return FirstKey{{*key, id}, false, std::move(left)};
  }
  const MasterKey key = make_master_key(surroundings.random);
  const Id id = HF_TRY(put_key(store, key, password, surroundings));
  return FirstKey{{key, id}, true, std::move(left)};
}

/// Somebody was quicker, and our key may be in the way of theirs; unless they have taken it up.
Result<void> step_back(KeyedRepository& ours) {
  const std::string theirs = HF_TRY(ours.store().get("config"));
  if (ours.unseal(theirs)) return ok();
  return remove_all(ours, FileType::Key, {ours.key()});
}

Result<void> clear_keys(KeyedRepository& made, const std::vector<Id>& left_over) {
  if (left_over.empty()) return ok();
  Result<void> gone = remove_all(made, FileType::Key, left_over);
  if (gone) return ok();
  return gone.take_error()
      .with_context("keys of an init that was cut off")
      .with_hint("the repository is made; remove them, or restic may not open it");
}

Config draw_config(const InitOptions& options, Random& random) {
  Config config;
  config.version = options.version;
  config.id = hex(random.bytes(32));
  config.polynomial = options.polynomial != 0 ? options.polynomial : draw_polynomial(random);
  config.text = fmt::format(R"({{"version":{},"id":"{}","chunker_polynomial":"{:x}"}})",
                            config.version, config.id, config.polynomial);
  return config;
}

}  // namespace

Result<std::unique_ptr<Opened>> init(std::shared_ptr<blob::Store> store, std::string_view password,
                                     const InitOptions& options, const Surroundings& surroundings) {
  if (password.empty() && !options.empty_password)
    return Error(Fault::Invalid, "an empty password protects nothing").with_hint("give a password");
  if (options.version < 1 || options.version > 2)
    return Error(Fault::Invalid, fmt::format("version {} is not known: 1 or 2", options.version));
  blob::Store& place = *store;
  HF_TRY(refuse_existing(place));
  const FirstKey first = HF_TRY(first_key(place, password, surroundings));
  auto made =
      std::make_unique<KeyedRepository>(std::move(store), first.unlocked.key, first.unlocked.id,
                                        draw_config(options, surroundings.random), surroundings);
  // The config comes last: what has one is a repository.
  const std::string sealed = made->seal(made->config().text);
  Result<void> written = place.put("config", sealed, {.sha256 = sha256(sealed), .exclusive = true});
  if (!written && written.error().fault() == Fault::Conflict) {
    if (first.fresh) HF_TRY(step_back(*made));
    return exists(place);
  }
  if (!written) return written.take_error().with_context("write config");
  HF_TRY(clear_keys(*made, first.left_over));
  return std::unique_ptr<Opened>(std::move(made));
}

}  // namespace holdfast::repo
