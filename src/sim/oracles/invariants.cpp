#include "oracles/invariants.h"

#include "data/movers.h"
#include "oracles/cuts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <vector>

namespace holdfast::sim {
namespace {

using model::int_at;
using model::string_at;
using model::Value;
using Breach = std::optional<std::string>;

bool going(const Value& object) {
  return !string_at(object, {"metadata", "deletionTimestamp"}).empty();
}

bool ended(const Value& pod) {
  const std::string_view phase = string_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

bool ready(const Value& pod) {
  for (const Value& each : model::array_at(pod, {"status", "conditions"}))
    if (string_at(each, {"type"}) == "Ready") return string_at(each, {"status"}) == "True";
  return false;
}

std::string_view controller_uid(const Value& object, std::string_view kind) {
  for (const Value& each : model::array_at(object, {"metadata", "ownerReferences"}))
    if (model::bool_at(each, {"controller"}, false) && string_at(each, {"kind"}) == kind)
      return string_at(each, {"uid"});
  return {};
}

ObjectPtr by_uid(const History& history, std::string_view plural, std::string_view uid) {
  if (uid.empty()) return nullptr;
  for (const auto& [key, object] : history.now(plural))
    if (string_at(*object, {"metadata", "uid"}) == uid) return object;
  return nullptr;
}

std::string_view plural_of(const History& history, const Commit& commit) {
  return history.resources()[commit.resource].plural;
}

// The greatest (or least) value that a field of that object ever had.
int64_t extreme(const History& history, std::string_view uid, bool greatest,
                const std::function<int64_t(const Value&)>& field) {
  std::optional<int64_t> found;
  for (const Commit& commit : history.commits()) {
    if (commit.uid != uid) continue;
    const int64_t value = field(*commit.object);
    if (!found || (greatest ? value > *found : value < *found)) found = value;
  }
  return found.value_or(0);
}

int64_t replicas_of(const Value& object) { return int_at(object, {"spec", "replicas"}, 1); }

// An absolute number or "25%" of the replicas.
int64_t share(const Value& object, std::string_view field, bool up) {
  const Value* value = model::find(object, {"spec", "strategy", "rollingUpdate", field});
  if (value == nullptr) return 0;
  if (value->is_int64()) return value->get_int64();
  if (!value->is_string()) return 0;
  int64_t percent = 0;
  const std::string_view text = model::view(value->get_string());
  std::from_chars(text.data(), text.data() + text.size(), percent);
  const double exact = double(replicas_of(object) * percent) / 100;
  return int64_t(up ? std::ceil(exact) : std::floor(exact));
}

std::vector<ObjectPtr> pods_of(const History& history, std::string_view kind,
                               std::string_view uid) {
  std::vector<ObjectPtr> pods;
  for (const auto& [key, pod] : history.now("pods"))
    if (controller_uid(*pod, kind) == uid) pods.push_back(pod);
  return pods;
}

int64_t live(const std::vector<ObjectPtr>& pods) {
  return std::count_if(pods.begin(), pods.end(),
                       [](const ObjectPtr& pod) { return !going(*pod) && !ended(*pod); });
}

Breach no_extra_pods(const History& history, const Commit& commit) {
  if (commit.kind != Commit::Kind::Created || plural_of(history, commit) != "pods") return {};
  for (const std::string_view kind : {"ReplicaSet", "StatefulSet"}) {
    const std::string_view uid = controller_uid(*commit.object, kind);
    if (uid.empty()) continue;
    const int64_t most = extreme(history, uid, true, replicas_of);
    const int64_t are = live(pods_of(history, kind, uid));
    if (are > most)
      return fmt::format("{} pods of a {} that never asked for more than {}: {} is too many", are,
                         kind, most, commit.key.text());
  }
  return {};
}

// The Deployment that a pod belongs to by way of its ReplicaSet, and all pods of it.
struct Rollout {
  ObjectPtr deployment;
  std::vector<ObjectPtr> pods;
};

Rollout rollout_of(const History& history, const Value& pod) {
  Rollout rollout;
  const ObjectPtr set = by_uid(history, "replicasets", controller_uid(pod, "ReplicaSet"));
  if (set == nullptr) return rollout;
  const std::string_view uid = controller_uid(*set, "Deployment");
  rollout.deployment = by_uid(history, "deployments", uid);
  if (rollout.deployment == nullptr) return rollout;
  for (const auto& [key, each] : history.now("replicasets"))
    if (controller_uid(*each, "Deployment") == uid)
      for (ObjectPtr& owned : pods_of(history, "ReplicaSet", string_at(*each, {"metadata", "uid"})))
        rollout.pods.push_back(std::move(owned));
  return rollout;
}

// A Deployment decides on what its ReplicaSets are to have; pods that they have yet to delete are
// not its business.
Breach surge_kept(const History& history, const Commit& commit) {
  if (plural_of(history, commit) != "replicasets") return {};
  const std::string_view uid = controller_uid(*commit.object, "Deployment");
  if (by_uid(history, "deployments", uid) == nullptr) return {};
  int64_t asked = 0;
  for (const auto& [key, each] : history.now("replicasets"))
    if (controller_uid(*each, "Deployment") == uid) asked += replicas_of(*each);
  const int64_t most = extreme(history, uid, true, [](const Value& deployment) {
    return replicas_of(deployment) + share(deployment, "maxSurge", true);
  });
  if (asked <= most) return {};
  return fmt::format("{} replicas are asked for of a Deployment that may have {}", asked, most);
}

bool begins_to_go(const Commit& commit) {
  return commit.kind == Commit::Kind::Changed && going(*commit.object) && commit.before &&
         !going(*commit.before);
}

Breach availability_kept(const History& history, const Commit& commit) {
  if (plural_of(history, commit) != "pods" || !begins_to_go(commit) || !ready(*commit.before))
    return {};
  const Rollout rollout = rollout_of(history, *commit.object);
  if (rollout.deployment == nullptr || going(*rollout.deployment)) return {};
  const int64_t least =
      extreme(history, string_at(*rollout.deployment, {"metadata", "uid"}), false,
              [](const Value& deployment) {
                return replicas_of(deployment) - share(deployment, "maxUnavailable", false);
              });
  const int64_t left =
      std::count_if(rollout.pods.begin(), rollout.pods.end(),
                    [](const ObjectPtr& pod) { return ready(*pod) && !going(*pod); });
  if (left >= least) return {};
  return fmt::format("{} was deleted with {} ready pods left, at least {} were promised",
                     commit.key.text(), left, least);
}

int64_t ordinal(const Value& pod) {
  const std::string_view name = string_at(pod, {"metadata", "name"});
  int64_t number = -1;
  const std::string_view text = name.substr(name.rfind('-') + 1);
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Breach ordered(const History& history, const Commit& commit) {
  if (plural_of(history, commit) != "pods") return {};
  const std::string_view uid = controller_uid(*commit.object, "StatefulSet");
  const ObjectPtr set = by_uid(history, "statefulsets", uid);
  const bool comes = commit.kind == Commit::Kind::Created;
  if (set == nullptr || going(*set) || !(comes || begins_to_go(commit))) return {};
  if (string_at(*set, {"spec", "podManagementPolicy"}) == "Parallel") return {};
  const int64_t own = ordinal(*commit.object);
  for (const ObjectPtr& pod : pods_of(history, "StatefulSet", uid)) {
    const int64_t other = ordinal(*pod);
    if (other == own) continue;
    if (comes && other < own && (going(*pod) || !ready(*pod)))
      return fmt::format("pod {} came before pod {} was ready", own, other);
    // One that never became ready may be replaced whatever the others do.
    if (!comes && ready(*commit.before) && going(*pod))
      return fmt::format("pods {} and {} go at once", own, other);
  }
  return {};
}

Breach claims_kept(const History& history, const Commit& commit) {
  if (plural_of(history, commit) != "persistentvolumeclaims") return {};
  if (commit.kind != Commit::Kind::Deleted && !going(*commit.object)) return {};
  return fmt::format("claim {} is being deleted", commit.key.text());
}

Breach job_limits(const History& history, const Commit& commit) {
  if (plural_of(history, commit) != "pods") return {};
  const ObjectPtr job = by_uid(history, "jobs", controller_uid(*commit.object, "Job"));
  if (job == nullptr) return {};
  const std::vector<ObjectPtr> pods = pods_of(history, "Job", string_at(*job, {"metadata", "uid"}));
  const int64_t parallel = int_at(*job, {"spec", "parallelism"}, 1);
  if (live(pods) > parallel)
    return fmt::format("{} pods at once, parallelism is {}", live(pods), parallel);
  int64_t failed = 0, succeeded = 0;
  for (const ObjectPtr& pod : pods) {
    failed += string_at(*pod, {"status", "phase"}) == "Failed" ? 1 : 0;
    succeeded += string_at(*pod, {"status", "phase"}) == "Succeeded" ? 1 : 0;
  }
  // Pods that were already running when the limit was reached may fail beside the last one.
  const int64_t limit = int_at(*job, {"spec", "backoffLimit"}, 6) + parallel;
  if (failed > limit) return fmt::format("{} failed pods, the limit allows {}", failed, limit);
  const int64_t completions = int_at(*job, {"spec", "completions"}, succeeded);
  if (succeeded > completions)
    return fmt::format("{} pods succeeded, {} were asked for", succeeded, completions);
  return {};
}

Breach status_true(const History& history, const Commit& commit) {
  const std::string_view plural = plural_of(history, commit);
  if (plural != "replicasets" && plural != "deployments" && plural != "statefulsets") return {};
  const Value& object = *commit.object;
  const auto is = [&](std::string_view field) { return int_at(object, {"status", field}, 0); };
  if (is("observedGeneration") > int_at(object, {"metadata", "generation"}, 0))
    return fmt::format("{} {} has observed a generation that is not there yet", plural,
                       commit.key.text());
  if (is("readyReplicas") > is("replicas") || is("availableReplicas") > is("readyReplicas"))
    return fmt::format("{} {}: {} replicas, {} ready, {} available", plural, commit.key.text(),
                       is("replicas"), is("readyReplicas"), is("availableReplicas"));
  return {};
}

Breach one_mover(const History& history, const Commit& commit) {
  if (commit.kind != Commit::Kind::Created || plural_of(history, commit) != "pods") return {};
  const std::string_view move = string_at(*commit.object, {"metadata", "labels", kMoveLabel});
  if (move.empty()) return {};
  for (const auto& [key, pod] : history.now("pods"))
    if (key != commit.key && !ended(*pod) &&
        string_at(*pod, {"metadata", "labels", kMoveLabel}) == move)
      return fmt::format("{} was made while {} still ran", commit.key.text(), key.text());
  return {};
}

Breach moved_truly(const History& history, const Commit& commit) {
  if (plural_of(history, commit) != "datamoves") return {};
  if (string_at(*commit.object, {"status", "phase"}) != "Completed") return {};
  // What is forgotten or found leaves no snapshot, and is proven otherwise.
  std::string shown(string_at(*commit.object, {"status", "snapshotID"}));
  if (shown.empty()) shown = string_at(*commit.object, {"status", "verified", "method"});
  for (const Commit& each : history.commits()) {
    if (plural_of(history, each) != "pods" ||
        string_at(*each.object, {"metadata", "labels", kMoveLabel}) != commit.uid ||
        string_at(*each.object, {"status", "phase"}) != "Succeeded")
      continue;
    for (const Value& status : model::array_at(*each.object, {"status", "containerStatuses"}))
      if (string_at(status, {"state", "terminated", "message"}).find('"' + shown + '"') !=
          std::string_view::npos)
        return {};
  }
  return fmt::format("{} is Completed with {}, which no mover made", commit.key.text(), shown);
}

/// What a mover's pod is told, and the claim that it mounts.
Breach as_asked(const History& history, const Commit& commit) {
  if (commit.kind != Commit::Kind::Created || plural_of(history, commit) != "pods") return {};
  const std::string_view uid = string_at(*commit.object, {"metadata", "labels", kMoveLabel});
  const ObjectPtr move = by_uid(history, "datamoves", uid);
  if (move == nullptr) return {};
  const bool beside = string_at(*move, {"metadata", "namespace"}) == commit.key.ns;
  const std::string_view asked =
      string_at(*move, {"status", "asked", "volume", "persistentVolumeClaim"});
  for (const Value& volume : model::array_at(*commit.object, {"spec", "volumes"})) {
    const std::string_view claim = string_at(volume, {"persistentVolumeClaim", "claimName"});
    if (claim.empty()) continue;
    if (beside && !asked.empty() && claim != asked)
      return fmt::format("{} mounts {}, and {} was asked for", commit.key.text(), claim, asked);
    if (history.get(kube::kClaims.plural, commit.key.ns, claim) == nullptr)
      return fmt::format("{} mounts {}, which is not there", commit.key.text(), claim);
  }
  return {};
}

Breach movers_limited(const History& history, const Commit& commit) {
  if (commit.kind != Commit::Kind::Created || plural_of(history, commit) != "movers") return {};
  const std::string_view of = string_at(*commit.object, {"spec", "location"}),
                         repository = string_at(*commit.object, {"spec", "repository"});
  const ObjectPtr location = history.get("backuplocations", commit.key.ns, of);
  if (location == nullptr) return {};
  int64_t own = 0, all = 0;
  for (const auto& [key, each] : history.now("movers")) {
    if (key.ns != commit.key.ns || string_at(*each, {"spec", "location"}) != of) continue;
    own += string_at(*each, {"spec", "repository"}) == repository ? 1 : 0;
    all += model::bool_at(*each, {"spec", "own"}, false) ==
                   model::bool_at(*commit.object, {"spec", "own"}, false)
               ? 1
               : 0;
  }
  const int64_t most = int_at(*location, {"spec", "limits", "moves"}, 16),
                most_own = int_at(*location, {"spec", "limits", "movesPerNamespace"}, 4);
  if (all <= most && own <= most_own) return {};
  return fmt::format("{} Movers of the location, {} of the repository: {} and {} are allowed", all,
                     own, most, most_own);
}

Breach one_upkeep(const History& history, const Commit& commit) {
  constexpr std::string_view kUpkeepLabel = "holdfast.dev/upkeep";
  if (commit.kind != Commit::Kind::Created || plural_of(history, commit) != "pods") return {};
  if (string_at(*commit.object, {"metadata", "labels", kUpkeepLabel}).empty()) return {};
  for (const auto& [key, pod] : history.now("pods"))
    if (key != commit.key && !ended(*pod) &&
        !string_at(*pod, {"metadata", "labels", kUpkeepLabel}).empty())
      return fmt::format("{} was made while {} still ran", commit.key.text(), key.text());
  return {};
}

constexpr Invariant kInvariants[] = {
    {"no-extra-pods", no_extra_pods},
    {"surge-kept", surge_kept},
    {"availability-kept", availability_kept},
    {"ordered", ordered},
    {"claims-kept", claims_kept},
    {"job-limits", job_limits},
    {"status-true", status_true},
    {"one-mover", one_mover},
    {"one-upkeep", one_upkeep},
    {"moved-truly", moved_truly},
    {"as-asked", as_asked},
    {"movers-limited", movers_limited},
};

const Invariant* find_invariant(std::string_view name, const Models& models) {
  for (const Invariant& each : kInvariants)
    if (each.name == name) return &each;
  for (const DriverModel& model : models)
    for (const Invariant& each : model.invariants)
      if (each.name == name) return &each;
  return nullptr;
}

}  // namespace

bool is_invariant(std::string_view name, const Models& models) {
  return find_cut_invariant(name) != nullptr || find_invariant(name, models) != nullptr;
}

std::optional<std::string> broken(std::string_view invariant, const History& history, size_t at,
                                  const Models& models) {
  if (const CutInvariant of_cuts = find_cut_invariant(invariant))
    return of_cuts(history, history.commits()[at], models);
  const Invariant* found = find_invariant(invariant, models);
  return found == nullptr ? std::nullopt : found->breach(history, history.commits()[at]);
}

}  // namespace holdfast::sim
