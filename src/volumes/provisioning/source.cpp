#include "provisioning/source.h"

#include "snapshots/objects.h"
#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes::provisioning {

using model::string_at;
using model::Value;

namespace {

Source broken(Source::Kind kind, std::string_view what, std::string_view name,
              std::string_view why) {
  Source out{.kind = kind};
  out.problem =
      fmt::format("error getting handle for DataSource Type {} by Name {}: {}", what, name, why);
  return out;
}

model::Quantity bytes(int64_t size) {
  Result<model::Quantity> amount = model::Quantity::parse(std::to_string(size));
  return amount ? amount.take() : model::Quantity();
}

Source of_snapshot(control::Pass& pass, const Claim& claim, std::string_view name,
                   const Local& local) {
  const auto not_yet = [&](std::string_view why) {
    return broken(Source::Kind::Snapshot, kube::kVolumeSnapshots.kind, name, why);
  };
  const kube::Cached object = pass.get(kube::kVolumeSnapshots, claim.ns, name);
  if (!object) return not_yet(fmt::format("snapshot {} does not exist", name));
  const Snapshot snapshot = read_snapshot(object);
  if (snapshot.deleting) return not_yet(fmt::format("snapshot {} is being deleted", name));
  const kube::Cached bound = pass.get(kube::kVolumeSnapshotContents, "", snapshot.bound);
  if (!bound) return not_yet(fmt::format("snapshot {} not bound", name));
  const Content content = read_content(bound);
  // A snapshot that names somebody else's content gets nothing of it.
  if (content.ref_uid != snapshot.uid || content.ref_ns != snapshot.ns ||
      content.ref_name != snapshot.name)
    return not_yet(fmt::format("snapshot content {} is bound to another snapshot", content.name));
  if (content.driver != kDriver)
    return not_yet(fmt::format("snapshot is of driver {}, not of {}", content.driver, kDriver));
  if (!snapshot.ready || !content.ready)
    return not_yet(fmt::format("snapshot {} is not Ready", name));
  const auto handle = SnapshotHandle::parse(content.handle);
  if (!handle || handle->node != local.node)
    return not_yet(fmt::format("snapshot {} lies on node {}; let the claim's pod run there", name,
                               handle ? handle->node : "unknown"));
  return {.kind = Source::Kind::Snapshot, .snapshot = handle->member, .least = bytes(content.size)};
}

Source of_claim(control::Pass& pass, const Claim& claim, std::string_view name,
                const Local& local) {
  const auto not_yet = [&](std::string_view why) {
    return broken(Source::Kind::Claim, "PersistentVolumeClaim", name, why);
  };
  const kube::Cached object = pass.get(kube::kClaims, claim.ns, name);
  if (!object) return not_yet("it does not exist");
  const Claim source = read_claim(object);
  if (source.deleting)
    return not_yet(fmt::format("the PVC DataSource {} is currently being deleted", name));
  const kube::Cached bound = pass.get(kube::kVolumes, "", source.volume_name);
  if (source.phase != "Bound" || !bound)
    return not_yet(fmt::format("the PVC DataSource {} is not bound yet", name));
  const Volume volume = read_volume(bound);
  const auto folder =
      local.store->volume_at(std::string(string_at(*volume.value, {"spec", "local", "path"})));
  if (volume.claim_uid != source.uid || volume.annotation(kProvisionedBy) != kDriver || !folder)
    return not_yet("its volume is not one of this driver on this node");
  return {.kind = Source::Kind::Claim, .claim = *folder, .least = volume.capacity};
}

}  // namespace

Source look_at_source(control::Pass& pass, const Claim& claim, const Local& local) {
  const Value* source = model::find(*claim.value, {"spec", "dataSourceRef"});
  if (source == nullptr) source = model::find(*claim.value, {"spec", "dataSource"});
  if (source == nullptr || !source->is_object()) return {};
  const std::string_view group = string_at(*source, {"apiGroup"});
  const std::string_view kind = string_at(*source, {"kind"}), name = string_at(*source, {"name"});
  const std::string_view ns = string_at(*source, {"namespace"});
  if (!ns.empty() && ns != claim.ns)
    return broken(Source::Kind::Snapshot, kind, name,
                  "sources of other namespaces are not supported");
  if (group == kSnapshotGroup && kind == kube::kVolumeSnapshots.kind)
    return of_snapshot(pass, claim, name, local);
  if (group.empty() && kind == "PersistentVolumeClaim") return of_claim(pass, claim, name, local);
  return {.kind = Source::Kind::Foreign};
}

}  // namespace holdfast::volumes::provisioning
