/// How a pod of ours reaches the repository that it works on: where it is, and which of the files
/// mounted beside it open it.
#pragma once

#include <holdfast/blob/location.h>
#include <holdfast/protect/mover.h>
#include <holdfast/repo/repository.h>

#include <filesystem>
#include <string>

namespace holdfast::protect {

struct RepositoryAccess {
  std::string repository{};  ///< as blob/location.h reads it
  std::string region{}, ca_bundle{};
  bool path_style = false;
  std::string password_key = "password";
  std::string derived_for{};  ///< as MoveTask has it

  template <class V>
  void fields(V& v) {
    v.required("repository", repository, "");
    v.optional("region", region, "");
    v.optional("caBundle", ca_bundle, "");
    v.optional("pathStyle", path_style, "");
    v.optional("passwordKey", password_key, "");
    v.optional("derivedFor", derived_for, "");
  }
};

RepositoryAccess access_of(const MoveTask& task);

/// `options.create` is for folders: a bucket must exist.
Result<std::unique_ptr<blob::Store>> open_store(const RepositoryAccess& access,
                                                const std::filesystem::path& secrets,
                                                blob::OpenOptions options);
Result<std::string> read_password(const RepositoryAccess& access,
                                  const std::filesystem::path& secrets);
}  // namespace holdfast::protect
