#include "oracles/normal.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

namespace holdfast::sim {
namespace {

using model::Object;
using model::string_at;
using model::Value;

// Members that say when, where or how often, never what.
const std::set<std::string_view> kByChance = {"uid",
                                              "resourceVersion",
                                              "creationTimestamp",
                                              "managedFields",
                                              "generation",
                                              "observedGeneration",
                                              "selfLink",
                                              "startTime",
                                              "completionTime",
                                              "podIP",
                                              "podIPs",
                                              "hostIP",
                                              "hostIPs",
                                              "nodeName",
                                              "ip",
                                              "lastTransitionTime",
                                              "lastPhaseTransitionTime",
                                              "lastUpdateTime",
                                              "lastProbeTime",
                                              "lastChecked",
                                              "secretVersions",
                                              "startedAt",
                                              "finishedAt",
                                              "heartbeatTime",
                                              "time",
                                              "attempt",
                                              "attempts",
                                              "mover",
                                              "lastActivity",
                                              "lastReported",
                                              "controller-uid",
                                              "batch.kubernetes.io/controller-uid",
                                              "addresses",
                                              "endpoints.kubernetes.io/last-change-trigger-time"};

constexpr std::string_view kDrawn = "bcdfghjklmnpqrstvwxz2456789";

const Value* controlling(const Value& object) {
  for (const Value& each : model::array_at(object, {"metadata", "ownerReferences"}))
    if (model::bool_at(each, {"controller"}, false)) return &each;
  return nullptr;
}

// Pods of ReplicaSets and Jobs, EndpointSlices: BASE-xxxxx, where the suffix follows from a uid.
std::string without_suffix(std::string_view name) {
  const size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || name.size() - dash != 6) return std::string(name);
  const std::string_view suffix = name.substr(dash + 1);
  if (!std::all_of(suffix.begin(), suffix.end(),
                   [](char c) { return kDrawn.find(c) != std::string_view::npos; }))
    return std::string(name);
  return fmt::format("{}-*", name.substr(0, dash));
}

bool named_by_chance(const Value& object) {
  const Value* owner = controlling(object);
  if (owner == nullptr) return false;
  const std::string_view kind = string_at(*owner, {"kind"});
  return kind == "ReplicaSet" || kind == "Job" || kind == "Service";
}

// The server draws the name of the volume with a pod's token.
constexpr std::string_view kTokenVolume = "kube-api-access-";
constexpr size_t kUidLength = 36, kHashLength = 16, kSnapshotLength = 64;

/// How long a run of hex digits, and with `dashes` of dashes, begins there.
size_t hex_run(std::string_view text, bool dashes) {
  const std::string_view digits = dashes ? "0123456789abcdef-" : "0123456789abcdef";
  return std::min(text.find_first_not_of(digits), text.size());
}

/// Without uids, ids of a repository's snapshots, and what made_name makes of uids:
/// PREFIX-<16 hex>.
std::string without_uids(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    size_t drawn = hex_run(text, true);
    if (drawn != kUidLength && drawn != kSnapshotLength)
      drawn = out.ends_with('-') && hex_run(text, false) == kHashLength ? kHashLength : 0;
    out += drawn > 0 ? '*' : text.front();
    text.remove_prefix(std::max<size_t>(drawn, 1));
  }
  return out;
}

void strip(Value& value) {
  if (value.is_string() && model::view(value.get_string()).starts_with(kTokenVolume))
    value = Value(kTokenVolume);
  if (value.is_string()) value = Value(without_uids(model::view(value.get_string())));
  if (value.is_array()) {
    for (Value& each : value.get_array()) strip(each);
    return;
  }
  if (!value.is_object()) return;
  Object kept;
  for (auto& member : value.get_object()) {
    if (kByChance.contains(std::string_view(member.key()))) continue;
    strip(member.value());
    kept.emplace(member.key(), std::move(member.value()));
  }
  value = std::move(kept);
}

std::string drawn_name(const Value& object) {
  const std::string_view name = string_at(object, {"metadata", "name"});
  return named_by_chance(object) ? without_suffix(name) : std::string(name);
}

std::string line_of(const kube::Resource& resource, const Value& object) {
  Value named = object;
  model::ensure_object(named, {"metadata"})["name"] = drawn_name(object);
  for (const std::string_view who : {"targetRef"}) model::erase(named, {who});
  return fmt::format("{} {}", resource.plural, normal(named));
}

// References to pods carry their drawn names; which pods they are is said by their number.
void strip_references(Value& object) {
  for (const std::string_view list : {"endpoints", "subsets"}) {
    Value* items = model::find(object, {list});
    if (items == nullptr || !items->is_array()) continue;
    for (Value& each : items->get_array()) {
      model::erase(each, {"targetRef"});
      for (const std::string_view kind : {"addresses", "notReadyAddresses"})
        if (Value* addresses = model::find(each, {kind}))
          *addresses = Value(int64_t(addresses->is_array() ? addresses->get_array().size() : 0));
    }
  }
}

}  // namespace

std::string normal(const Value& object) {
  Value plain = object;
  strip(plain);
  return model::to_json(plain);
}

std::string end_state(const History& history) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < history.resources().size(); ++i)
    for (const auto& [key, object] : history.now(i)) {
      Value plain = *object;
      strip_references(plain);
      lines.push_back(line_of(history.resources()[i], plain));
    }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::map<std::string, int64_t> counts(const History& history, size_t from) {
  std::map<std::string, int64_t> counts;
  for (size_t i = from; i < history.commits().size(); ++i) {
    const Commit& commit = history.commits()[i];
    if (commit.kind == Commit::Kind::Changed) continue;
    const Value* owner = controlling(*commit.object);
    const std::string whose = owner == nullptr
                                  ? commit.key.name
                                  : fmt::format("of {} {}", string_at(*owner, {"kind"}),
                                                without_suffix(string_at(*owner, {"name"})));
    ++counts[fmt::format("{} {} {}", commit.kind == Commit::Kind::Created ? "create" : "delete",
                         history.resources()[commit.resource].plural, whose)];
  }
  return counts;
}

}  // namespace holdfast::sim
