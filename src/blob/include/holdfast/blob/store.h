/// Store: named immutable bytes in a folder, a bucket or memory.
#pragma once

#include <holdfast/base/result.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::blob {

struct Info {
  std::string name{};
  uint64_t size = 0;
};

struct Range {
  uint64_t offset = 0;
  uint64_t length = 0;
};

struct PutOptions {
  /// The 32 raw bytes of the SHA-256 of the bytes, when the caller has them: a service that checks
  /// uploads is then asked to check against it, and nobody hashes twice.
  std::string_view sha256{};
  /// Conflict if the name is taken, where the store can promise that (Abilities::exclusive_put).
  bool exclusive = false;
};

struct Abilities {
  /// `PutOptions::exclusive` holds also between machines. Never assumed of a service: tried once.
  bool exclusive_put = false;
  bool read_only = false;
};

/// Safe to use from many threads.
///
/// Requires of the service: a finished put is visible to read and list; no reader sees half a put.
/// put: when it returns, the bytes survive a power cut. Idempotent for equal bytes; never leaves
///   half a blob under the name.
/// read: exactly the bytes asked for, in place of what `into` held, whose memory is used again:
///   fresh memory for every pack takes a third as long as checking it. NotFound if the name is
///   absent; Corrupt if fewer bytes are there than asked for; `into` is then anything.
/// list: each name that begins with the prefix once; names put or removed meanwhile may or may not
///   appear. Order is unspecified.
/// remove: a name that is not there is success; unlike remove_all, a power cut may undo it.
/// Faults: Unavailable may be tried again (the retry decorator does), NotFound, Denied
///   (credentials, read-only), Conflict (exclusive put), Corrupt, Invalid (a name with "..", an
///   empty one).
class Store {
 public:
  virtual ~Store() = default;
  virtual Result<void> put(const std::string& name, std::string_view bytes,
                           const PutOptions& options = {}) = 0;
  virtual Result<void> read(const std::string& name, std::optional<Range> range,
                            std::string& into) = 0;
  Result<std::string> get(const std::string& name, std::optional<Range> range = {});
  virtual Result<Info> stat(const std::string& name) = 0;
  virtual Result<void> list(const std::string& prefix,
                            const std::function<void(const Info&)>& each) = 0;
  virtual Result<void> remove(const std::string& name) = 0;
  /// Up to a thousand at a time travel together where the service can. The names that stayed.
  virtual Result<std::vector<std::string>> remove_all(const std::vector<std::string>& names);
  virtual Abilities abilities() const = 0;
  /// Known, not only required: a listing that begins after a put has returned shows it, whoever
  /// lists. True of this machine's disks and memory.
  virtual bool lists_at_once() const { return false; }
  /// "s3:https://eu.example/bucket/prefix", "/srv/backup": for messages and snapshots of status.
  virtual std::string text() const = 0;
};

/// Reads that lie within `gap` bytes of each other become one request, up to `most` bytes each;
/// what lies between is read and thrown away. `each` gets the index of a range and its bytes, in
/// the order of offsets.
Result<void> get_ranges(
    Store& store, const std::string& name, std::span<const Range> ranges,
    const std::function<Result<void>(size_t index, std::string_view bytes)>& each,
    uint64_t gap = uint64_t{1} << 20, uint64_t most = uint64_t{32} << 20);

}  // namespace holdfast::blob
