/// Buckets and what is in them, on any store of ours, and what S3 adds: ETags, uploads in parts.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/blob/stores.h>

#include <map>
#include <memory>
#include <set>

namespace holdfast::s3_double {

/// In quotes, as services write it.
std::string etag_of(std::string_view bytes);
std::string md5_of(std::string_view bytes);

struct Object {
  std::string bytes{}, etag{};
};

/// Safe to use from many threads.
class Objects {
 public:
  explicit Objects(std::filesystem::path root) : root_(std::move(root)) {}

  bool has_bucket(const std::string& bucket);
  Result<void> make_bucket(const std::string& bucket);
  /// False if `exclusive` and the key is taken.
  Result<bool> put(const std::string& bucket, const std::string& key, std::string_view bytes,
                   bool exclusive);
  Result<Object> get(const std::string& bucket, const std::string& key);
  Result<void> remove(const std::string& bucket, const std::string& key);
  /// Keys with sizes, sorted.
  Result<std::vector<blob::Info>> list(const std::string& bucket, const std::string& prefix);
  /// The key that was put last in the bucket.
  std::string newest(const std::string& bucket);

  std::string begin_upload(const std::string& bucket, const std::string& key);
  bool put_part(const std::string& id, int number, std::string bytes);
  /// The parts together, if these are the parts; the upload is then over.
  Result<std::string> end_upload(const std::string& id,
                                 const std::vector<std::pair<int, std::string>>& parts,
                                 size_t least_part);
  bool abort_upload(const std::string& id);
  bool has_upload(const std::string& id);
  size_t open_uploads();

 private:
  struct Upload {
    std::string bucket{}, key{};
    std::map<int, std::string> parts{};
  };
  blob::Store* find(const std::string& bucket);

  const std::filesystem::path root_;
  Mutex mutex_;
  std::map<std::string, std::unique_ptr<blob::Store>> buckets_ HF_GUARDED_BY(mutex_);
  std::map<std::string, std::string> newest_ HF_GUARDED_BY(mutex_);
  std::map<std::string, Upload> uploads_ HF_GUARDED_BY(mutex_);
  uint64_t last_upload_ HF_GUARDED_BY(mutex_) = 0;
  Mutex writing_;  ///< held from the look at a name to the write of it
};

}  // namespace holdfast::s3_double
