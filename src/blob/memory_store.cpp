// Memory store: blobs in a map, for tests and the simulation.
#include <holdfast/base/mutex.h>
#include <holdfast/blob/stores.h>

#include "names.h"

#include <fmt/format.h>

#include <map>

namespace holdfast::blob {
namespace {

class MemoryStore final : public Store {
 public:
  Result<void> put(const std::string& name, std::string_view bytes,
                   const PutOptions& options) override {
    HF_TRY(check_name(name));
    const Lock lock(mutex_);
    const auto found = blobs_.find(name);
    if (found != blobs_.end() && options.exclusive && found->second != bytes)
      return Error(Fault::Conflict, fmt::format("PUT {}: the name is taken", name));
    blobs_[name] = bytes;
    return ok();
  }

  Result<void> read(const std::string& name, std::optional<Range> range,
                    std::string& into) override {
    HF_TRY(check_name(name));
    const Lock lock(mutex_);
    const auto found = blobs_.find(name);
    if (found == blobs_.end()) return missing("GET", name);
    const Range wanted = range.value_or(Range{0, found->second.size()});
    if (wanted.offset + wanted.length > found->second.size())
      return too_short(name, wanted, found->second.size());
    into.assign(found->second, wanted.offset, wanted.length);
    return ok();
  }

  Result<Info> stat(const std::string& name) override {
    HF_TRY(check_name(name));
    const Lock lock(mutex_);
    const auto found = blobs_.find(name);
    if (found == blobs_.end()) return missing("HEAD", name);
    return Info{name, found->second.size()};
  }

  Result<void> list(const std::string& prefix,
                    const std::function<void(const Info&)>& each) override {
    std::vector<Info> found;
    {
      const Lock lock(mutex_);
      for (auto at = blobs_.lower_bound(prefix);
           at != blobs_.end() && at->first.starts_with(prefix); ++at)
        found.push_back({at->first, at->second.size()});
    }
    for (const Info& info : found) each(info);
    return ok();
  }

  Result<void> remove(const std::string& name) override {
    HF_TRY(check_name(name));
    const Lock lock(mutex_);
    blobs_.erase(name);
    return ok();
  }

  Abilities abilities() const override { return {.exclusive_put = true}; }
  bool lists_at_once() const override { return true; }
  std::string text() const override { return "memory"; }

 private:
  Mutex mutex_;
  std::map<std::string, std::string> blobs_ HF_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Store> memory_store() { return std::make_unique<MemoryStore>(); }

}  // namespace holdfast::blob
