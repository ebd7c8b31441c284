#include "statefulset/observed.h"

#include <algorithm>
#include <charconv>
#include <tuple>

namespace holdfast::workloads::statefulset {

using model::int_at;
using model::string_at;

MemberName member_name(std::string_view pod_name) {
  const size_t dash = pod_name.rfind('-');
  if (dash == std::string_view::npos || dash + 1 == pod_name.size()) return {};
  const std::string_view digits = pod_name.substr(dash + 1);
  int32_t ordinal = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), ordinal);
  if (error != std::errc() || end != digits.data() + digits.size() || ordinal < 0) return {};
  return {pod_name.substr(0, dash), ordinal};
}

bool is_available(const Replica& pod, const Observed& seen) {
  return available(pod, seen.set.min_ready_seconds, seen.now);
}

bool is_unavailable(const Replica& pod, const Observed& seen) {
  return pod.going() || !is_available(pod, seen);
}

Set read_set(const kube::Cached& object) {
  Set set{.object = object, .value = object.shared_value()};
  const model::Value& value = *set.value;
  set.ns = object.ns();
  set.name = object.name();
  set.uid = object.uid();
  set.being_deleted = object.being_deleted();
  set.replicas = int_at(value, {"spec", "replicas"}, 1);
  set.start = int_at(value, {"spec", "ordinals", "start"}, 0);
  set.partition = int_at(value, {"spec", "updateStrategy", "rollingUpdate", "partition"}, 0);
  set.min_ready_seconds = int_at(value, {"spec", "minReadySeconds"}, 0);
  set.history_limit = int_at(value, {"spec", "revisionHistoryLimit"}, 10);
  set.parallel = string_at(value, {"spec", "podManagementPolicy"}) == "Parallel";
  set.on_delete = string_at(value, {"spec", "updateStrategy", "type"}) == "OnDelete";
  const auto deletes = [&](std::string_view when) {
    return string_at(value, {"spec", "persistentVolumeClaimRetentionPolicy", when}) == "Delete";
  };
  set.delete_claims_when_scaled = deletes("whenScaled");
  set.delete_claims_when_deleted = deletes("whenDeleted");
  set.current_revision = string_at(value, {"status", "currentRevision"});
  return set;
}

Replica read_replica(const kube::Cached& object) {
  Replica replica;
  replica.value = object.shared_value();
  static_cast<Pod&>(replica) = read_pod(*replica.value);
  replica.object = object;
  replica.ordinal = member_name(replica.name()).ordinal;
  replica.revision = string_at(*replica.value, {"metadata", "labels", "controller-revision-hash"});
  return replica;
}

VolumeClaim read_claim(const kube::Cached& object) {
  VolumeClaim claim{.object = object, .value = object.shared_value()};
  const model::Meta meta = model::meta_of(*claim.value);
  claim.owners = meta.owners;
  claim.terminating = !meta.deletion_timestamp.empty();
  return claim;
}

Revision read_revision(const kube::Cached& object) {
  const std::shared_ptr<const model::Value> shared = object.shared_value();
  const model::Value& value = *shared;
  Revision revision{.object = object};
  revision.name = object.name();
  revision.number = int_at(value, {"revision"}, 0);
  if (const model::Value* data = model::find(value, {"data"})) revision.data = *data;
  revision.created = string_at(value, {"metadata", "creationTimestamp"});
  return revision;
}

void put_in_order(Observed& seen) {
  std::sort(seen.pods.begin(), seen.pods.end(),
            [](const Replica& a, const Replica& b) { return a.ordinal < b.ordinal; });
  std::sort(seen.revisions.begin(), seen.revisions.end(), [](const Revision& a, const Revision& b) {
    return std::tie(a.number, a.created, a.name) < std::tie(b.number, b.created, b.name);
  });
}

}  // namespace holdfast::workloads::statefulset
