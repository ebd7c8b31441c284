// Garbage collector: the graph of owners by uid, and the deletion of dependents.
// - An object whose owners are all gone is deleted. One that still has a living owner loses the
//   references to dead ones.
// - Owner deleted in the foreground (finalizer foregroundDeletion): its dependents go first; it
//   goes when none of those that block it (blockOwnerDeletion) is left.
// - Owner deleted with orphaning (finalizer orphan): its dependents lose the reference, then the
//   finalizer is taken away.
// An owner counts as absent only when the store has no object of that uid in the dependent's
// namespace or cluster-wide, so a name taken again by another object never keeps or kills anything.
#include "controllers/known.h"
#include "controllers/queue.h"
#include "controllers/write_as.h"

#include <map>
#include <set>

namespace holdfast::apiserver {
namespace {

constexpr std::string_view kUser = "generic-garbage-collector";
constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";
constexpr MonoTime kRetry = std::chrono::seconds(1);

bool has(const std::vector<std::string>& list, std::string_view item) {
  for (const std::string& each : list)
    if (each == item) return true;
  return false;
}

class GarbageCollector final : public Controller {
 public:
  std::string_view name() const override { return "garbage-collector-controller"; }

  void note(const Change& change) override {
    if (change.key.resource == "events") return;
    const Lock lock(mutex_);
    if (change.before) forget(*change.before, change.key);
    if (change.type == ChangeType::Deleted) {
      for (const Key& dependent : dependents_[change.object->meta.uid]) queue_.add(dependent);
      if (dependents_[change.object->meta.uid].empty()) dependents_.erase(change.object->meta.uid);
      wake_owners(change.object->meta);
      return;
    }
    remember(*change.object, change.key);
    if (change.before) wake_owners(change.before->meta);
    if (!change.object->meta.owners.empty() || !change.object->meta.deletion_timestamp.empty())
      queue_.add(change.key);
  }

  void start(Api& api) override {
    for (const Catalogue::Group& group : api.kinds.catalogue()->groups)
      for (const ResourcePtr& resource : group.versions.front().resources) {
        if (resource->verbs.size() == 1 || resource->storage == "events") continue;
        for (const StoredPtr& stored : list_all(api.store, resource->storage)) {
          const Key key{resource->storage, stored->meta.ns, stored->meta.name};
          const Lock lock(mutex_);
          remember(*stored, key);
          if (!stored->meta.owners.empty() || !stored->meta.deletion_timestamp.empty())
            queue_.add(key);
        }
      }
  }

  bool step(Api& api) override {
    const std::optional<Key> key = queue_.take(api.clock.mono());
    if (!key) return false;
    const StoredPtr stored = api.store.get(*key);
    if (stored == nullptr) return true;
    const ResourcePtr resource = api.kinds.catalogue()->find_storage(key->resource);
    if (resource == nullptr) return true;
    bool done = true;
    if (!stored->meta.deletion_timestamp.empty() && has(stored->meta.finalizers, kOrphan))
      done = orphan(api, resource, *key, *stored);
    else if (!stored->meta.deletion_timestamp.empty() && has(stored->meta.finalizers, kForeground))
      done = delete_dependents(api, resource, *key, *stored);
    else if (stored->meta.deletion_timestamp.empty() && !stored->meta.owners.empty())
      done = check_owners(api, resource, *key, *stored);
    if (!done) queue_.add_at(*key, api.clock.mono() + kRetry);
    return true;
  }

 private:
  enum class Owner { Living, Waiting, Gone };

  void remember(const Stored& stored, const Key& key) HF_REQUIRES(mutex_) {
    objects_[stored.meta.uid] = key;
    for (const model::OwnerReference& owner : stored.meta.owners)
      dependents_[owner.uid].insert(key);
  }

  void forget(const Stored& stored, const Key& key) HF_REQUIRES(mutex_) {
    objects_.erase(stored.meta.uid);
    for (const model::OwnerReference& owner : stored.meta.owners) {
      const auto found = dependents_.find(owner.uid);
      if (found == dependents_.end()) continue;
      found->second.erase(key);
      if (found->second.empty()) dependents_.erase(found);
    }
  }

  // An owner that waits in the foreground looks again when a dependent went or let go of it.
  void wake_owners(const model::Meta& meta) HF_REQUIRES(mutex_) {
    for (const model::OwnerReference& owner : meta.owners) {
      const auto found = objects_.find(owner.uid);
      if (found != objects_.end()) queue_.add(found->second);
    }
  }

  std::set<Key> dependents_of(const std::string& uid) {
    const Lock lock(mutex_);
    const auto found = dependents_.find(uid);
    return found == dependents_.end() ? std::set<Key>() : found->second;
  }

  Owner judge(Api& api, const model::OwnerReference& owner, const Key& dependent) {
    Key key;
    {
      const Lock lock(mutex_);
      const auto found = objects_.find(owner.uid);
      if (found != objects_.end()) key = found->second;
    }
    if (key.resource.empty()) {
      // An owner of a kind that nobody serves cannot be judged: leave its dependents alone.
      Result<model::GroupVersion> version = model::GroupVersion::parse(owner.api_version);
      if (!version ||
          api.kinds.catalogue()->find_group_kind({version->group, owner.kind}) == nullptr)
        return Owner::Living;
      return Owner::Gone;
    }
    if (!key.ns.empty() && key.ns != dependent.ns) return Owner::Gone;
    const StoredPtr stored = api.store.get(key);
    if (stored == nullptr || stored->meta.uid != owner.uid) return Owner::Gone;
    const bool waits =
        !stored->meta.deletion_timestamp.empty() && has(stored->meta.finalizers, kForeground);
    return waits ? Owner::Waiting : Owner::Living;
  }

  bool check_owners(Api& api, const ResourcePtr& resource, const Key& key, const Stored& stored) {
    std::set<std::string> dead;
    bool living = false, waiting = false;
    for (const model::OwnerReference& owner : stored.meta.owners) {
      const Owner state = judge(api, owner, key);
      living = living || state == Owner::Living;
      waiting = waiting || state == Owner::Waiting;
      if (state != Owner::Living) dead.insert(owner.uid);
    }
    if (dead.empty()) return true;
    if (living) return drop_references(api, resource, key, stored.meta.uid, dead);
    DeleteOptions options;
    options.uid = stored.meta.uid;
    // Gone with an owner that waits, and waited for by others itself: in the foreground too, so
    // that the order holds.
    const bool chain = waiting && !dependents_of(stored.meta.uid).empty();
    options.propagation_policy = has(stored.meta.finalizers, kOrphan)                ? "Orphan"
                                 : chain || has(stored.meta.finalizers, kForeground) ? "Foreground"
                                                                                     : "Background";
    const Answer<Removed> removed = remove_object(api, write_as(kUser, resource, key), options);
    return removed || removed.error().code == 404 || removed.error().code == 409;
  }

  bool drop_references(Api& api, const ResourcePtr& resource, const Key& key,
                       const std::string& uid, const std::set<std::string>& owners) {
    const Answer<Written> written = update_object(
        api, write_as(kUser, resource, key), {}, [&](const Value* live) -> Answer<Value> {
          Value next = *live;
          if (model::string_at(*live, {"metadata", "uid"}) != uid) return next;
          Array kept;
          for (const Value& owner : model::array_at(*live, {"metadata", "ownerReferences"}))
            if (owners.count(std::string(model::string_at(owner, {"uid"}))) == 0)
              kept.push_back(owner);
          Object& metadata = model::ensure_object(next, {"metadata"});
          if (kept.empty())
            metadata.erase("ownerReferences");
          else
            metadata["ownerReferences"] = std::move(kept);
          return next;
        });
    return written || written.error().code == 404;
  }

  bool delete_dependents(Api& api, const ResourcePtr& resource, const Key& key,
                         const Stored& stored) {
    bool blocked = false;
    for (const Key& dependent : dependents_of(stored.meta.uid)) {
      const StoredPtr each = api.store.get(dependent);
      if (each == nullptr) continue;
      for (const model::OwnerReference& owner : each->meta.owners)
        blocked = blocked || (owner.uid == stored.meta.uid && owner.block_owner_deletion);
      if (each->meta.deletion_timestamp.empty()) queue_.add(dependent);
    }
    if (blocked) return true;  // woken again when a dependent goes
    const Answer<Written> written =
        remove_finalizer(api, write_as(kUser, resource, key), kForeground);
    return written || written.error().code == 404;
  }

  bool orphan(Api& api, const ResourcePtr& resource, const Key& key, const Stored& stored) {
    for (const Key& dependent : dependents_of(stored.meta.uid)) {
      const StoredPtr each = api.store.get(dependent);
      const ResourcePtr kind = api.kinds.catalogue()->find_storage(dependent.resource);
      if (each == nullptr || kind == nullptr) continue;
      if (!drop_references(api, kind, dependent, each->meta.uid, {stored.meta.uid})) return false;
    }
    const Answer<Written> written = remove_finalizer(api, write_as(kUser, resource, key), kOrphan);
    return written || written.error().code == 404;
  }

  KeyQueue queue_;
  Mutex mutex_;
  std::map<std::string, Key> objects_ HF_GUARDED_BY(mutex_);               ///< by uid
  std::map<std::string, std::set<Key>> dependents_ HF_GUARDED_BY(mutex_);  ///< by the owner's uid
};

}  // namespace

std::unique_ptr<Controller> make_garbage_collector(const std::string&) {
  return std::make_unique<GarbageCollector>();
}

}  // namespace holdfast::apiserver
