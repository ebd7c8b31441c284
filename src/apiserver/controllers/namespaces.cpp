// Namespace controller: empties a namespace that is being deleted and removes its finalizer;
// empties a resource whose definition is being deleted.
#include <holdfast/model/time.h>

#include "controllers/known.h"
#include "controllers/queue.h"
#include "controllers/write_as.h"
#include "rest/watch.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

constexpr MonoTime kRetry = std::chrono::seconds(1);
constexpr std::string_view kDefinitions = "apiextensions.k8s.io/customresourcedefinitions";
constexpr std::string_view kCleanup = "customresourcecleanup.apiextensions.k8s.io";

struct Left {
  size_t objects = 0;
  std::map<std::string, size_t> by_resource;
  std::map<std::string, size_t> by_finalizer;
};

// Asks every object to go; what is left afterwards waits for somebody.
void remove_all(Api& api, std::string_view user, const ResourcePtr& resource,
                const std::optional<std::string>& ns, Left& left) {
  for (const StoredPtr& stored : list_all(api.store, resource->storage, ns)) {
    const Key key{resource->storage, stored->meta.ns, stored->meta.name};
    DeleteOptions options;
    options.uid = stored->meta.uid;
    options.propagation_policy = "Background";
    if (stored->meta.deletion_timestamp.empty()) {
      const Answer<Removed> removed = remove_object(api, write_as(user, resource, key), options);
      if (removed && removed->gone) continue;
    }
    if (api.store.get(key) == nullptr) continue;
    ++left.objects;
    ++left.by_resource[resource->group_resource().text()];
    for (const std::string& finalizer : stored->meta.finalizers) ++left.by_finalizer[finalizer];
  }
}

Value condition(std::string_view type, bool bad, std::string_view reason, std::string message,
                const std::string& now) {
  return Object{{"type", type},
                {"status", bad ? "True" : "False"},
                {"lastTransitionTime", now},
                {"reason", reason},
                {"message", std::move(message)}};
}

std::string told(const std::map<std::string, size_t>& counts, std::string_view format) {
  std::string out;
  for (const auto& [name, count] : counts)
    out += (out.empty() ? "" : ", ") + fmt::format(fmt::runtime(format), name, count);
  return out;
}

Array namespace_conditions(const Left& left, const std::string& now) {
  Array out;
  out.push_back(condition("NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered",
                          "All resources successfully discovered", now));
  out.push_back(condition("NamespaceDeletionGroupVersionParsingFailure", false,
                          "ParsedGroupVersions", "All legacy kube types successfully parsed", now));
  out.push_back(condition("NamespaceDeletionContentFailure", false, "ContentDeleted",
                          "All content successfully deleted, may be waiting on finalization", now));
  if (left.by_resource.empty())
    out.push_back(condition("NamespaceContentRemaining", false, "ContentRemoved",
                            "All content successfully removed", now));
  else
    out.push_back(condition(
        "NamespaceContentRemaining", true, "SomeResourcesRemain",
        "Some resources are remaining: " + told(left.by_resource, "{} has {} resource instances"),
        now));
  if (left.by_finalizer.empty())
    out.push_back(condition("NamespaceFinalizersRemaining", false, "ContentHasNoFinalizers",
                            "All content-preserving finalizers finished", now));
  else
    out.push_back(condition("NamespaceFinalizersRemaining", true, "SomeFinalizersRemain",
                            "Some content in the namespace has finalizers remaining: " +
                                told(left.by_finalizer, "{} in {} resource instances"),
                            now));
  return out;
}

bool same_conditions(const Array& a, const Array& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    for (const std::string_view member : {"type", "status", "message"})
      if (model::string_at(a[i], {member}) != model::string_at(b[i], {member})) return false;
  return true;
}

class NamespaceController final : public Controller {
 public:
  std::string_view name() const override { return "namespace-controller"; }

  void note(const Change& change) override {
    if (change.key.resource == "namespaces" && change.type != ChangeType::Deleted &&
        !change.object->meta.deletion_timestamp.empty())
      queue_.add(change.key);
    // Something in a namespace went: if that namespace is going, it may be empty now.
    if (change.type == ChangeType::Deleted && !change.key.ns.empty())
      queue_.add({"namespaces", "", change.key.ns});
  }

  void start(Api& api) override {
    for (const StoredPtr& stored : list_all(api.store, "namespaces"))
      if (!stored->meta.deletion_timestamp.empty())
        queue_.add({"namespaces", "", stored->meta.name});
  }

  bool step(Api& api) override {
    const std::optional<Key> key = queue_.take(api.clock.mono());
    if (!key) return false;
    const StoredPtr stored = api.store.get(*key);
    if (stored == nullptr || stored->meta.deletion_timestamp.empty()) return true;
    const std::shared_ptr<const Catalogue> catalogue = api.kinds.catalogue();
    Left left;
    for (const Catalogue::Group& group : catalogue->groups)
      for (const ResourcePtr& resource : group.versions.front().resources)
        if (resource->namespaced && resource->verbs.size() > 1 &&
            resource->group != "events.k8s.io")
          remove_all(api, name(), resource, key->name, left);
    const ResourcePtr namespaces = catalogue->find("", "v1", "namespaces");
    report(api, namespaces, *key, left);
    if (left.objects == 0) finalize(api, namespaces, *key);
    return true;
  }

 private:
  void report(Api& api, const ResourcePtr& namespaces, const Key& key, const Left& left) {
    const Answer<Written> written = update_object(
        api, write_as(name(), namespaces, key, "status"), {},
        [&](const Value* live) -> Answer<Value> {
          Value next = *live;
          Array conditions = namespace_conditions(left, model::to_rfc3339(api.clock.now()));
          if (!same_conditions(model::array_at(*live, {"status", "conditions"}), conditions))
            model::ensure_object(next, {"status"})["conditions"] = std::move(conditions);
          return next;
        });
    if (!written && written.error().code != 404) queue_.add_at(key, api.clock.mono() + kRetry);
  }

  void finalize(Api& api, const ResourcePtr& namespaces, const Key& key) {
    const Answer<Written> written =
        update_object(api, write_as(name(), namespaces, key, "finalize"), {},
                      [&](const Value* live) -> Answer<Value> {
                        Value next = *live;
                        Array kept;
                        for (const Value& each : model::array_at(*live, {"spec", "finalizers"}))
                          if (!each.is_string() || model::view(each.get_string()) != "kubernetes")
                            kept.push_back(each);
                        Object& spec = model::ensure_object(next, {"spec"});
                        if (kept.empty())
                          spec.erase("finalizers");
                        else
                          spec["finalizers"] = std::move(kept);
                        return next;
                      });
    if (!written && written.error().code != 404) queue_.add_at(key, api.clock.mono() + kRetry);
  }

  KeyQueue queue_;
};

class DefinitionCleanup final : public Controller {
 public:
  std::string_view name() const override { return "customresourcedefinition-cleanup"; }

  void note(const Change& change) override {
    if (change.key.resource == kDefinitions && change.type != ChangeType::Deleted &&
        !change.object->meta.deletion_timestamp.empty())
      queue_.add(change.key);
    const size_t slash = change.key.resource.find('/');
    if (change.type == ChangeType::Deleted && slash != std::string::npos &&
        change.key.resource.find('.') != std::string::npos)
      queue_.add(
          {std::string(kDefinitions), "",
           change.key.resource.substr(slash + 1) + "." + change.key.resource.substr(0, slash)});
  }

  void start(Api& api) override {
    for (const StoredPtr& stored : list_all(api.store, std::string(kDefinitions)))
      if (!stored->meta.deletion_timestamp.empty())
        queue_.add({std::string(kDefinitions), "", stored->meta.name});
  }

  bool step(Api& api) override {
    const std::optional<Key> key = queue_.take(api.clock.mono());
    if (!key) return false;
    const StoredPtr stored = api.store.get(*key);
    if (stored == nullptr || stored->meta.deletion_timestamp.empty()) return true;
    const Value definition = parse_stored(*stored);
    const std::string storage =
        fmt::format("{}/{}", model::string_at(definition, {"spec", "group"}),
                    model::string_at(definition, {"spec", "names", "plural"}));
    Left left;
    if (const ResourcePtr resource = api.kinds.catalogue()->find_storage(storage))
      remove_all(api, name(), resource, std::nullopt, left);
    if (left.objects != 0) return true;  // woken when one of them goes
    const ResourcePtr definitions =
        api.kinds.catalogue()->find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    const Answer<Written> written =
        remove_finalizer(api, write_as(name(), definitions, *key), kCleanup);
    if (!written && written.error().code != 404) queue_.add_at(*key, api.clock.mono() + kRetry);
    if (written) api.watches.close_resource(storage);
    return true;
  }

 private:
  KeyQueue queue_;
};

}  // namespace

std::unique_ptr<Controller> make_namespace_controller(const std::string&) {
  return std::make_unique<NamespaceController>();
}
std::unique_ptr<Controller> make_definition_cleanup() {
  return std::make_unique<DefinitionCleanup>();
}

}  // namespace holdfast::apiserver
