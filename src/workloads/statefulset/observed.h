/// State of a StatefulSet as observed: all that one decision about it needs, as plain values.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/kube/cached.h>
#include <holdfast/model/selector.h>

#include "pods/pod.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace holdfast::workloads::statefulset {

/// A StatefulSet as the server has defaulted it.
struct Set {
  kube::Cached object{};
  std::shared_ptr<const model::Value> value{};
  std::string ns{}, name{}, uid{};
  bool being_deleted = false;
  int64_t replicas = 1;
  int64_t start = 0;      ///< spec.ordinals.start
  int64_t partition = 0;  ///< replicas below it, counted from `start`, keep the current revision
  int64_t min_ready_seconds = 0;
  int64_t history_limit = 10;
  bool parallel = false, on_delete = false;
  bool delete_claims_when_scaled = false, delete_claims_when_deleted = false;
  model::LabelSelector selector{};
  std::string current_revision{};  ///< of its status

  bool holds(int64_t ordinal) const { return ordinal >= start && ordinal < start + replicas; }
};

/// A pod of the set.
struct Replica : Pod {
  std::shared_ptr<const model::Value> value{};
  int64_t ordinal = -1;
  std::string revision{};  ///< label controller-revision-hash

  const std::string& name() const { return meta.name; }
  const std::string& uid() const { return meta.uid; }
  bool running_and_ready() const { return phase == "Running" && ready; }
  bool going() const { return !meta.deletion_timestamp.empty(); }
};

struct VolumeClaim {
  kube::Cached object{};
  std::shared_ptr<const model::Value> value{};
  std::vector<model::OwnerReference> owners{};
  bool terminating = false;
};

struct Revision {
  kube::Cached object{};
  std::string name{};
  int64_t number = 0;
  model::Value data{};
  std::string created{};
};

struct Observed {
  Set set{};
  std::vector<Replica> pods{};        ///< ordered by ordinal
  std::vector<Revision> revisions{};  ///< ordered by number, then age, then name
  std::map<std::string, VolumeClaim, std::less<>> claims{};
  /// Ordinals of missing members whose name another's pod has.
  std::set<int64_t> pod_names_taken{};
  /// Data of every revision whose name the set might want, whoever owns it.
  std::map<std::string, model::Value, std::less<>> names_taken{};
  WallTime now{};
  bool refused = false;  ///< the server refused the write of the pass before
};

/// "db", 3 of "db-3"; ordinal -1 if the name has none.
struct MemberName {
  std::string_view set{};
  int64_t ordinal = -1;
};
MemberName member_name(std::string_view pod_name);

bool is_available(const Replica& pod, const Observed& seen);
/// Not available, or on its way out.
bool is_unavailable(const Replica& pod, const Observed& seen);

Set read_set(const kube::Cached& object);
Replica read_replica(const kube::Cached& object);
VolumeClaim read_claim(const kube::Cached& object);
Revision read_revision(const kube::Cached& object);
/// Puts pods and revisions into the order that decisions rely on.
void put_in_order(Observed& seen);

}  // namespace holdfast::workloads::statefulset
