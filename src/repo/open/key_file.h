/// A key file: the master key, sealed by a password.
///
///   {"created":TIME,"username":…,"hostname":…,"kdf":"scrypt","N":…,"r":…,"p":…,"salt":BASE64,
///    "data":BASE64 of the sealed {"mac":{"k":BASE64,"r":BASE64},"encrypt":BASE64}}
/// Plain JSON, named by the hash of its text.
#pragma once

#include <holdfast/repo/repository.h>

#include "seal/sealer.h"

namespace holdfast::repo {

struct KeyFile {
  std::string created{}, user{}, host{};
  ScryptCost cost{};
  std::string salt{}, data{};  ///< raw bytes
};

Result<KeyFile> parse_key_file(std::string_view json);
std::string to_json(const KeyFile& file);

/// Denied if the password does not open it.
Result<MasterKey> open_key_file(const KeyFile& file, std::string_view password);
Result<KeyFile> make_key_file(const MasterKey& key, std::string_view password,
                              const Surroundings& surroundings);
MasterKey make_master_key(Random& random);

}  // namespace holdfast::repo
