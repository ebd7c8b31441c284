/// A pass over the caches of one controller's watches; remembers which versions it read.
#pragma once

#include <holdfast/control/reconciler.h>

#include <optional>
#include <utility>
#include <vector>

namespace holdfast::control {

/// The caches that a controller watches, in the order of its watches.
class Caches {
 public:
  Caches(kube::Informers& informers, const std::vector<Watch>& watches);
  struct Cache {
    kube::Informer* informer = nullptr;
    std::optional<model::LabelSelector> only{};  ///< of its scope; none = all
  };
  /// Each cache of that resource which holds the namespace ("" = any), once.
  std::vector<kube::Informer*> of(const kube::Resource& resource, std::string_view ns) const;
  /// Those that will be told of an object which the server now holds like this.
  std::vector<kube::Informer*> told_of(const kube::Resource& resource,
                                       const model::Value& object) const;
  const std::vector<Cache>& in_order() const { return caches_; }

 private:
  std::vector<Cache> caches_;
};

class CachedPass final : public Pass {
 public:
  CachedPass(const kube::Key& key, const Caches& caches, kube::Client& client, WallTime now,
             const kube::Failure* refusal)
      : key_(key), caches_(caches), client_(client), now_(now), refusal_(refusal) {}

  const kube::Key& key() const override { return key_; }
  WallTime now() const override { return now_; }
  kube::Cached get(const kube::Resource& resource, std::string_view ns,
                   std::string_view name) override;
  std::vector<kube::Cached> list(const kube::Resource& resource, std::string_view ns,
                                 const model::LabelSelector& selector) override;
  std::vector<kube::Cached> controlled_by(const kube::Resource& resource,
                                          std::string_view uid) override;
  std::vector<kube::Cached> find(const kube::Resource& resource, std::string_view index,
                                 std::string_view value) override;
  kube::Reply<model::Value> live(const kube::Resource& resource, std::string_view ns,
                                 std::string_view name) override;
  kube::Reply<std::string> live_list(const kube::Resource& resource, std::string_view ns,
                                     std::string_view label_selector,
                                     const std::function<bool(model::Value)>& each) override;
  kube::Reply<model::Value> try_create(const kube::Resource& resource,
                                       const model::Value& object) override;
  const kube::Failure* refusal() const override { return refusal_; }

  /// "pods:123,statefulsets.apps:120": how far each cache was when the pass first read it.
  std::string basis() const;

 private:
  std::vector<kube::Informer*> read(const kube::Resource& resource, std::string_view ns);

  const kube::Key& key_;
  const Caches& caches_;
  kube::Client& client_;
  const WallTime now_;
  const kube::Failure* refusal_;
  std::vector<std::pair<const kube::Informer*, uint64_t>> basis_;
};

}  // namespace holdfast::control
