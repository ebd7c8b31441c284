#include "objects.h"

#include <holdfast/base/bytes.h>

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>

namespace holdfast::s3_double {

namespace fs = std::filesystem;

std::string md5_of(std::string_view bytes) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  const int done =
      EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(out.data()), &size,
                 EVP_md5(), nullptr);
  HF_CHECK(done == 1);
  out.resize(size);
  return out;
}

std::string etag_of(std::string_view bytes) { return "\"" + hex(md5_of(bytes)) + "\""; }

blob::Store* Objects::find(const std::string& bucket) {
  const Lock lock(mutex_);
  auto found = buckets_.find(bucket);
  if (found == buckets_.end() && !root_.empty() && fs::is_directory(root_ / bucket)) {
    auto store = blob::file_store(root_ / bucket, false);
    if (store) found = buckets_.emplace(bucket, store.take()).first;
  }
  return found == buckets_.end() ? nullptr : found->second.get();
}

bool Objects::has_bucket(const std::string& bucket) { return find(bucket) != nullptr; }

Result<void> Objects::make_bucket(const std::string& bucket) {
  const Lock lock(mutex_);
  if (root_.empty()) {
    buckets_.emplace(bucket, blob::memory_store());
    return ok();
  }
  buckets_[bucket] = HF_TRY(blob::file_store(root_ / bucket, true));
  return ok();
}

Result<bool> Objects::put(const std::string& bucket, const std::string& key, std::string_view bytes,
                          bool exclusive) {
  blob::Store& store = *find(bucket);
  if (exclusive) {
    const Lock lock(writing_);
    if (store.stat(key)) return false;
    HF_TRY(store.put(key, bytes));
  } else {
    HF_TRY(store.put(key, bytes));
  }
  const Lock lock(mutex_);
  newest_[bucket] = key;
  return true;
}

Result<Object> Objects::get(const std::string& bucket, const std::string& key) {
  std::string bytes = HF_TRY(find(bucket)->get(key));
  std::string etag = etag_of(bytes);
  return Object{std::move(bytes), std::move(etag)};
}

Result<void> Objects::remove(const std::string& bucket, const std::string& key) {
  return find(bucket)->remove(key);
}

Result<std::vector<blob::Info>> Objects::list(const std::string& bucket,
                                              const std::string& prefix) {
  std::vector<blob::Info> out;
  HF_TRY(find(bucket)->list(prefix, [&out](const blob::Info& info) { out.push_back(info); }));
  std::sort(out.begin(), out.end(),
            [](const blob::Info& a, const blob::Info& b) { return a.name < b.name; });
  return out;
}

std::string Objects::newest(const std::string& bucket) {
  const Lock lock(mutex_);
  return newest_[bucket];
}

std::string Objects::begin_upload(const std::string& bucket, const std::string& key) {
  const Lock lock(mutex_);
  std::string id = fmt::format("upload-{}", ++last_upload_);
  uploads_[id] = {bucket, key, {}};
  return id;
}

bool Objects::put_part(const std::string& id, int number, std::string bytes) {
  const Lock lock(mutex_);
  const auto found = uploads_.find(id);
  if (found == uploads_.end()) return false;
  found->second.parts[number] = std::move(bytes);
  return true;
}

Result<std::string> Objects::end_upload(const std::string& id,
                                        const std::vector<std::pair<int, std::string>>& parts,
                                        size_t least_part) {
  const Lock lock(mutex_);
  const auto found = uploads_.find(id);
  if (found == uploads_.end()) return Error(Fault::NotFound, "no such upload");
  std::string out;
  int before = 0;
  for (const auto& [number, etag] : parts) {
    const auto part = found->second.parts.find(number);
    if (number <= before || part == found->second.parts.end() || etag_of(part->second) != etag)
      return Error(Fault::Invalid, "a part is missing, out of order or another");
    if (number != parts.back().first && part->second.size() < least_part)
      return Error(Fault::Denied, "a part is smaller than the least that is allowed");
    out += part->second;
    before = number;
  }
  uploads_.erase(found);
  return out;
}

bool Objects::abort_upload(const std::string& id) {
  const Lock lock(mutex_);
  return uploads_.erase(id) == 1;
}

bool Objects::has_upload(const std::string& id) {
  const Lock lock(mutex_);
  return uploads_.contains(id);
}

size_t Objects::open_uploads() {
  const Lock lock(mutex_);
  return uploads_.size();
}

}  // namespace holdfast::s3_double
