#include "classes.h"

#include <holdfast/control/write.h>

#include "definitions.h"
#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes {

using model::Object;
using model::Value;

namespace {

Value storage_class(bool is_default) {
  Object annotations;
  annotations[kDefaultClass] = is_default ? "true" : "false";
  Object metadata{{"name", kClassName}, {"annotations", std::move(annotations)}};
  // Where a volume lies decides where its pods can run, so the pod comes first.
  return Object{{"apiVersion", "storage.k8s.io/v1"}, {"kind", "StorageClass"},
                {"metadata", std::move(metadata)},   {"provisioner", kDriver},
                {"reclaimPolicy", "Delete"},         {"volumeBindingMode", "WaitForFirstConsumer"},
                {"allowVolumeExpansion", true}};
}

/// Both kinds of snapshot classes are alike.
Value snapshot_class(const kube::Resource& resource, std::string_view default_annotation) {
  Object annotations;
  annotations[default_annotation] = "true";
  Object metadata{{"name", kClassName}, {"annotations", std::move(annotations)}};
  return Object{{"apiVersion", resource.api_version()},
                {"kind", resource.kind},
                {"metadata", std::move(metadata)},
                {"driver", kDriver},
                {"deletionPolicy", "Delete"}};
}

/// A server takes a definition before it serves the kind: what it does not know a moment later is
/// asked for again.
Result<void> create_missing(kube::Client& client, const kube::Resource& resource,
                            const Value& object) {
  const kube::Reply<Value> made = client.create(resource, "", object);
  if (made || made.error().already_exists()) return ok();
  if (made.error().not_found())
    return Error(Fault::Unavailable, fmt::format("the server does not serve {} yet: {}",
                                                 resource.text(), made.error().error.what()));
  return made.error().error.copy();
}

/// The default one, unless the cluster has one already.
Result<void> create_storage_class(kube::Client& client) {
  bool taken = false;
  const kube::Reply<std::string> listed =
      client.list(kube::kStorageClasses, "", {}, [&](const Value& each) {
        taken = model::string_at(each, {"metadata", "annotations", kDefaultClass}) == "true";
        return !taken;
      });
  if (!listed) return listed.error().error.copy();
  return create_missing(client, kube::kStorageClasses, storage_class(!taken));
}

Result<Value> annotate_class(kube::Client& client, Object annotations) {
  const Value merge = Object{{"metadata", Object{{"annotations", std::move(annotations)}}}};
  kube::Reply<Value> told =
      client.patch(kube::kStorageClasses, "", kClassName, kube::PatchType::Merge, merge);
  if (!told) return told.error().error.copy();
  return told.take();
}

/// One event per node and text: a start that fails again and again says it once.
Value warning_event(const Value& about, std::string_view node, const std::string& trouble,
                    std::string_view reason) {
  Object metadata{{"namespace", "default"}};
  metadata["name"] = control::child_name(kClassName, model::string_at(about, {"metadata", "uid"}),
                                         fmt::format("{} {}", node, trouble));
  Object regarding{{"apiVersion", "storage.k8s.io/v1"}, {"kind", "StorageClass"}};
  regarding["name"] = kClassName;
  regarding["uid"] = model::string_at(about, {"metadata", "uid"});
  return Object{{"apiVersion", "v1"},
                {"kind", "Event"},
                {"metadata", std::move(metadata)},
                {"involvedObject", std::move(regarding)},
                {"type", "Warning"},
                {"reason", reason},
                {"message", fmt::format("node {}: {}", node, trouble)},
                {"source", Object{{"component", kDriver}, {"host", node}}}};
}

/// Definitions that others installed stay, and may have an older version only.
Result<kube::GroupKinds> group_kinds(kube::Client& client) {
  const std::optional<kube::GroupKinds> served = HF_TRY(kube::served_group_kinds(client));
  if (served) return *served;
  // As with any definition, it may only be a matter of moments.
  return Error(Fault::Unavailable,
               fmt::format("the server has no version of {} that can be used", kGroupSnapshotGroup))
      .with_hint("v1, v1beta2 and v1beta1 can; see the CustomResourceDefinitions of that group");
}

}  // namespace

Result<void> tell_on_class(kube::Client& client, std::string_view node, const std::string& trouble,
                           std::string_view reason) {
  HF_TRY(create_storage_class(client));
  Object annotations;
  annotations[fmt::format("{}.{}", node, kTroubleAnnotation)] =
      trouble.empty() ? Value(nullptr) : Value(trouble);
  const Value about = HF_TRY(annotate_class(client, std::move(annotations)));
  if (trouble.empty()) return ok();
  const kube::Reply<Value> told =
      client.create(kube::kCoreEvents, "default", warning_event(about, node, trouble, reason));
  if (!told && !told.error().already_exists()) return told.error().error.copy();
  return ok();
}

Result<kube::GroupKinds> install_classes(kube::Client& client, const Local& local) {
  for (const Value& definition : definitions())
    HF_TRY(create_missing(client, kube::kDefinitions, definition));
  HF_TRY(create_storage_class(client));
  HF_TRY(create_missing(client, kube::kVolumeSnapshotClasses,
                        snapshot_class(kube::kVolumeSnapshotClasses, kDefaultSnapshotClass)));
  const kube::GroupKinds kinds = HF_TRY(group_kinds(client));
  HF_TRY(create_missing(client, kinds.classes, snapshot_class(kinds.classes, kDefaultGroupClass)));
  const Provider& provider = local.store->provider();
  Object annotations;
  annotations[fmt::format("{}.{}", local.node, kProviderAnnotation)] =
      fmt::format("{}: {}", provider.name(), provider.promise());
  HF_TRY(annotate_class(client, std::move(annotations)));
  return kinds;
}

Result<std::string> find_snapshot_controller(kube::Client& client) {
  std::string found;
  const auto look = [&](const kube::Resource& resource, std::string_view name,
                        std::initializer_list<std::string_view> alive) -> Result<void> {
    const kube::Reply<std::string> listed = client.list(resource, "", {}, [&](const Value& each) {
      const Value* sign = model::find(each, alive);
      const bool lives = sign != nullptr && *sign != Value("") && *sign != Value(0);
      if (lives && model::string_at(each, {"metadata", "name"}) == name)
        found = fmt::format("{} {}/{}", resource.kind,
                            model::string_at(each, {"metadata", "namespace"}), name);
      return found.empty();
    });
    if (!listed) return listed.error().error.copy();
    return ok();
  };
  HF_TRY(look(kube::kDeployments, "snapshot-controller", {"spec", "replicas"}));
  if (found.empty())
    HF_TRY(look(kube::kLeases, "snapshot-controller-leader", {"spec", "holderIdentity"}));
  return found;
}

}  // namespace holdfast::volumes
