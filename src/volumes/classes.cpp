#include "classes.h"

#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes {

using model::Object;
using model::Value;

namespace {

Value storage_class() {
  Object metadata{{"name", kClassName}};
  metadata["annotations"] = Object{{"storageclass.kubernetes.io/is-default-class", "true"}};
  // Where a volume lies decides where its pods can run, so the pod comes first.
  return Object{{"apiVersion", "storage.k8s.io/v1"}, {"kind", "StorageClass"},
                {"metadata", std::move(metadata)},   {"provisioner", kDriver},
                {"reclaimPolicy", "Delete"},         {"volumeBindingMode", "WaitForFirstConsumer"},
                {"allowVolumeExpansion", true}};
}

Result<void> create_missing(kube::Client& client, const kube::Resource& resource,
                            const Value& object) {
  const kube::Reply<Value> made = client.create(resource, "", object);
  if (made || made.error().already_exists()) return ok();
  return made.error().error.copy();
}

}  // namespace

Result<void> install_classes(kube::Client& client, const Local& local) {
  HF_TRY(create_missing(client, kStorageClasses, storage_class()));
  const Provider& provider = local.store->provider();
  Object annotations;
  annotations[fmt::format("{}.{}", local.node, kProviderAnnotation)] =
      fmt::format("{}: {}", provider.name(), provider.promise());
  const Value merge = Object{{"metadata", Object{{"annotations", std::move(annotations)}}}};
  const kube::Reply<Value> told =
      client.patch(kStorageClasses, "", kClassName, kube::PatchType::Merge, merge);
  if (!told) return told.error().error.copy();
  return ok();
}

}  // namespace holdfast::volumes
