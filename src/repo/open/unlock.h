/// The key files of a store, and the one that a password opens.
#pragma once

#include "open/key_file.h"

namespace holdfast::repo {

struct Unlocked {
  MasterKey key;
  Id id;
};

Result<std::vector<Id>> list_key_ids(blob::Store& store);
struct StoredKey {
  KeyFile file{};
  bool whole = true;  ///< its name is that of its bytes; it may open all the same
};
/// Corrupt or Invalid if it is none, or one that we do not know.
Result<StoredKey> load_key(blob::Store& store, const Id& id);
Result<Id> put_key(blob::Store& store, const MasterKey& key, std::string_view password,
                   const Surroundings& surroundings);

/// A way to tell a key of this repository from one that only has the same password.
using KeyTest = std::function<bool(const MasterKey&)>;

/// The first key that the password opens and that stands the test. Corrupt if the password opens
/// some and none stands it; NotFound if there is no key at all.
Result<Unlocked> unlock(blob::Store& store, std::string_view password, std::string_view hint,
                        const KeyTest& belongs);

}  // namespace holdfast::repo
