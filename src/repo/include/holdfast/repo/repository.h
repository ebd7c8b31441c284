/// A restic repository, version 1 or 2, on any store. What can be done with it depends on what has
/// been loaded: an Opened one has its keys, an Indexed one knows where every blob is.
///
///   config                    sealed JSON {version, id, chunker_polynomial}
///   keys/ID                   plain JSON; the master key sealed by a password
///   snapshots/ID index/ID locks/ID   sealed, compressed JSON
///   data/XX/ID                packs: sealed blobs, sealed header, its length
///   ID = SHA-256 of the stored bytes
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/blob/store.h>
#include <holdfast/repo/id.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace holdfast::repo {

struct Config {
  int version = 2;
  std::string id{};  ///< 64 hex digits
  uint64_t polynomial = 0;
  bool append_only = false;  ///< rustic's: snapshots, indexes and packs are never removed
  std::string text{};        ///< the JSON as read, so that members of other programs are kept
};

enum class FileType { Config, Key, Snapshot, Index, Lock, Pack };

struct Location {
  Id pack{};
  uint32_t offset = 0, length = 0;  ///< of the sealed blob
  uint32_t plain_length = 0;        ///< 0 = not compressed
};

/// Where time, chance and progress come from.
struct Surroundings {
  const Clock& clock;
  Random& random;
  std::string host{}, user{};
  uint32_t uid = 0, gid = 0;
  int pid = 0;
};

class Opened {
 public:
  virtual ~Opened() = default;
  virtual const Config& config() const = 0;
  virtual blob::Store& store() = 0;
  virtual const Surroundings& surroundings() const = 0;
  /// The key file that the password opened.
  virtual Id key() const = 0;

  /// Sealed and named by its hash: snapshots, indexes, locks. Corrupt names the file.
  virtual Result<std::string> load(FileType type, const Id& id) = 0;
  virtual Result<Id> save(FileType type, std::string_view json) = 0;
  virtual Result<std::vector<Id>> list(FileType type) = 0;
  virtual Result<void> remove(FileType type, const Id& id) = 0;
  /// An id by its beginning; Invalid if several begin so, NotFound if none does.
  virtual Result<Id> find(FileType type, std::string_view beginning) = 0;

  virtual std::string seal(std::string_view plain) = 0;
  /// Corrupt if the seal is broken.
  virtual Result<std::string> unseal(std::string_view sealed) = 0;
};

struct InitOptions {
  int version = 2;
  /// Of a repository whose cuts are to be the same; 0 = drawn.
  uint64_t polynomial = 0;
  /// Without it an empty password, which protects nothing, is Invalid.
  bool empty_password = false;
};
/// Conflict if there is a repository already.
Result<std::unique_ptr<Opened>> init(std::shared_ptr<blob::Store> store, std::string_view password,
                                     const InitOptions& options, const Surroundings& surroundings);
/// NotFound if there is none, telling a place where only the config is missing from an empty one.
Result<void> expect_repository(blob::Store& store);
/// Denied if no key is opened by the password; Invalid for a version we do not know, naming it.
Result<std::unique_ptr<Opened>> open(std::shared_ptr<blob::Store> store, std::string_view password,
                                     const Surroundings& surroundings,
                                     std::string_view key_hint = "");

struct KeyInfo {
  Id id{};
  std::string user{}, host{}, created{};
  bool current = false;
};
Result<std::vector<KeyInfo>> list_keys(Opened& repository);
Result<Id> add_key(Opened& repository, std::string_view password);
/// The key in use cannot be removed.
Result<void> remove_key(Opened& repository, const Id& id);
/// A new key for the new password, read back and opened, takes the place of the key in use. The new
/// key's id. The master key stays: whoever has seen it can still read everything.
Result<Id> change_password(Opened& repository, std::string_view password);

/// Where an index goes that is too large for memory. Without a folder all of it is in memory, 48
/// bytes a blob.
struct Scratch {
  std::filesystem::path folder{};
  size_t most_in_memory = 250'000;  ///< blobs
};

struct IndexOptions {
  /// Hears of index files that are damaged, which are then left out: the rest of the repository can
  /// still be read. Empty: the first one is an error.
  std::function<void(const Id&, const Error&)> damaged{};
  /// A folder of this repository's own, where an index of many blobs is kept and found again the
  /// next time. Empty: all of it is in memory, 48 bytes a blob.
  std::filesystem::path cache{};
  size_t most_in_memory = 250'000;  ///< blobs; with a cache
  /// Hears why there is no cache though there should be one.
  std::function<void(const std::string&)> said{};
};

/// Where every blob is. Safe to use from many threads.
class Indexed {
 public:
  virtual ~Indexed() = default;
  virtual Opened& repository() = 0;
  virtual std::optional<Location> find(BlobType type, const Id& id) const = 0;
  virtual uint64_t blobs(BlobType type) const = 0;
  /// Every place of every blob; a blob may have several.
  virtual void each(const std::function<void(BlobType, const Id&, const Location&)>& see) const = 0;
  /// Read, unsealed, decompressed and checked against its id. Corrupt names blob and pack.
  virtual Result<std::string> read(BlobType type, const Id& id) = 0;
};

/// Takes the repository: from here on it is reached through the index. It stays with the caller if
/// that fails.
Result<std::unique_ptr<Indexed>> load_index(std::unique_ptr<Opened>&& repository,
                                            const IndexOptions& options);

}  // namespace holdfast::repo
