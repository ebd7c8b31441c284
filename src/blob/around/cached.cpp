// Cache: copies of small, often read blobs (indexes, snapshots, trees' packs) in a local folder.
//
//   FOLDER/NAME     the same bytes as NAME in the inner store, if their SHA-256 is the last part of
//                   NAME; anything else there is damage and is thrown away
// Nothing here is synced: what a power cut tears is found by its hash.
#include <holdfast/base/bytes.h>
#include <holdfast/base/mutex.h>
#include <holdfast/blob/around.h>
#include <holdfast/blob/forwarding.h>

#include "file_store.h"
#include "names.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace holdfast::blob {
namespace {

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

class CachedStore final : public Forwarding {
 public:
  CachedStore(std::unique_ptr<Store> inner, std::unique_ptr<Store> copies,
              std::vector<std::string> prefixes)
      : Forwarding(std::move(inner)), copies_(std::move(copies)), prefixes_(std::move(prefixes)) {}

  Result<void> put(const std::string& name, std::string_view bytes,
                   const PutOptions& options) override {
    HF_TRY(inner().put(name, bytes, options));
    if (may_keep(name)) keep(name, bytes);
    return ok();
  }
  Result<void> read(const std::string& name, std::optional<Range> range,
                    std::string& into) override;
  Result<void> list(const std::string& prefix,
                    const std::function<void(const Info&)>& each) override;
  Result<void> remove(const std::string& name) override {
    drop(name);
    return inner().remove(name);
  }
  Result<std::vector<std::string>> remove_all(const std::vector<std::string>& names) override {
    for (const std::string& name : names) drop(name);
    return inner().remove_all(names);
  }

 private:
  bool may_keep(const std::string& name) const {
    return last_part(name).size() == 64 &&
           std::any_of(prefixes_.begin(), prefixes_.end(),
                       [&name](const std::string& prefix) { return name.starts_with(prefix); });
  }
  /// A failure leaves no copy, which the next reader notices.
  void keep(const std::string& name, std::string_view bytes) {
    if (hex(sha256(bytes)) != last_part(name) || !copies_->put(name, bytes)) return;
    const Lock lock(mutex_);
    checked_.insert(name);
  }
  void drop(const std::string& name) {
    if (!may_keep(name)) return;
    {
      const Lock lock(mutex_);
      checked_.erase(name);
    }
    (void)copies_->remove(name);
  }
  bool is_checked(const std::string& name) {
    const Lock lock(mutex_);
    return checked_.contains(name);
  }
  Result<void> read_copy(const std::string& name, std::optional<Range> range, std::string& into);

  const std::unique_ptr<Store> copies_;
  const std::vector<std::string> prefixes_;
  Mutex mutex_;
  std::unordered_set<std::string> checked_ HF_GUARDED_BY(mutex_);
};

Result<void> CachedStore::read_copy(const std::string& name, std::optional<Range> range,
                                    std::string& into) {
  if (is_checked(name)) return copies_->read(name, range, into);
  HF_TRY(copies_->read(name, {}, into));
  if (hex(sha256(into)) != last_part(name)) {
    drop(name);
    return missing("GET", name);
  }
  {
    const Lock lock(mutex_);
    checked_.insert(name);
  }
  return range ? copies_->read(name, range, into) : ok();
}

Result<void> CachedStore::read(const std::string& name, std::optional<Range> range,
                               std::string& into) {
  if (!may_keep(name)) return inner().read(name, range, into);
  if (read_copy(name, range, into)) return ok();
  HF_TRY(inner().read(name, range, into));
  if (!range) keep(name, into);
  return ok();
}

/// Copies are looked at before the inner store is: one that is made meanwhile is not dropped.
Result<void> CachedStore::list(const std::string& prefix,
                               const std::function<void(const Info&)>& each) {
  std::set<std::string> gone;
  (void)copies_->list(prefix, [&gone](const Info& info) { gone.insert(info.name); });
  HF_TRY(inner().list(prefix, [&](const Info& info) {
    gone.erase(info.name);
    each(info);
  }));
  for (const std::string& name : gone) drop(name);
  return ok();
}

}  // namespace

std::unique_ptr<Store> cached(std::unique_ptr<Store> inner, const std::filesystem::path& folder,
                              std::vector<std::string> prefixes) {
  return std::make_unique<CachedStore>(std::move(inner), unsynced_file_store(folder),
                                       std::move(prefixes));
}

}  // namespace holdfast::blob
