/// The store and the password of the repository that a pod of ours works on.
#pragma once

#include <holdfast/blob/location.h>
#include <holdfast/protect/mover.h>
#include <holdfast/repo/repository.h>

#include <filesystem>
#include <string>

namespace holdfast::protect {

/// `options.create` is for folders: a bucket must exist.
Result<std::unique_ptr<blob::Store>> open_store(const RepositoryAccess& access,
                                                const std::filesystem::path& secrets,
                                                blob::OpenOptions options);
Result<std::string> read_password(const RepositoryAccess& access,
                                  const std::filesystem::path& secrets);

/// The folder that the repository lies in is the location's, as its marker says; a bucket always
/// is.
Result<void> expect_marker(const RepositoryAccess& access, std::string& trouble);
/// And it is the repository that was there before. `trouble` has one word for why not.
Result<void> expect_known(const RepositoryAccess& access, const repo::Opened& opened,
                          std::string& trouble);

/// Why a repository in that store did not open, in one word, found by asking the store again:
/// AccessDenied, BucketNotFound, Unreachable, RepositoryNotFound, WrongPassword, DamagedData.
std::string open_trouble(blob::Store& store, const Error& error);

/// The one word for why a mover failed, where nothing says it better.
std::string_view move_failure(Fault fault);

/// In place: the file is a mount of the pod's.
Result<void> write_report(const std::filesystem::path& path, std::string_view report);

}  // namespace holdfast::protect
