#include "world/storage.h"

#include <holdfast/base/text.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

namespace holdfast::sim {
namespace {

using model::Array;
using model::Object;
using model::string_at;
using model::Value;

constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
constexpr MonoTime kLongest = std::chrono::seconds(1);

Value definition(const kube::Resource& resource) {
  const std::string singular = to_lower(resource.kind);
  const Value schema =
      Object{{"openAPIV3Schema",
              Object{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}};
  const Value version = Object{{"name", resource.version},
                               {"served", true},
                               {"storage", true},
                               {"schema", schema},
                               {"subresources", Object{{"status", Object{}}}}};
  return Object{
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "CustomResourceDefinition"},
      {"metadata",
       Object{{"name", fmt::format("{}.{}", resource.plural, resource.group)},
              {"annotations", Object{{"api-approved.kubernetes.io", "unapproved, simulated"}}}}},
      {"spec", Object{{"group", resource.group},
                      {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
                      {"names", Object{{"plural", resource.plural},
                                       {"singular", singular},
                                       {"kind", resource.kind},
                                       {"listKind", fmt::format("{}List", resource.kind)}}},
                      {"versions", Array{version}}}}};
}

}  // namespace

std::vector<Value> snapshot_definitions() {
  return {definition(kube::kVolumeSnapshots),       definition(kube::kVolumeSnapshotContents),
          definition(kube::kVolumeSnapshotClasses), definition(group_kinds().snapshots),
          definition(group_kinds().contents),       definition(group_kinds().classes)};
}

const kube::GroupKinds& group_kinds() {
  static const kube::GroupKinds kinds = kube::kinds_in("v1beta1");
  return kinds;
}

Storage::Storage(Server& server, History& history, const ManualClock& clock, Random& random,
                 const Parts& parts)
    : server_(server),
      history_(history),
      clock_(clock),
      random_(random),
      parts_(parts),
      caller_(administrator("storage")),
      volumes_(history, parts) {}

std::optional<MonoTime> Storage::due() {
  for (; seen_ < history_.commits().size(); ++seen_) consider(history_.commits()[seen_]);
  if (queue_.empty()) return std::nullopt;
  return queue_.begin()->first;
}

void Storage::consider(const Commit& commit) {
  const kube::Resource& resource = history_.resources()[commit.resource];
  if (resource != kube::kClaims && resource != kube::kVolumes &&
      resource != kube::kVolumeSnapshots && resource != group_kinds().snapshots)
    return;
  const auto wait = MonoTime(int64_t(1 + random_.below(uint64_t(kLongest.count()) / 1000)) * 1000);
  queue_.insert({clock_.mono() + wait, {commit.resource, commit.key, commit.uid}});
}

void Storage::step() {
  if (queue_.empty()) return;
  const Task task = queue_.begin()->second;
  queue_.erase(queue_.begin());
  attend(task);
  history_.catch_up();
}

void Storage::attend(const Task& task) {
  const kube::Resource& resource = history_.resources()[task.resource];
  ObjectPtr object = history_.get(resource.plural, task.key.ns, task.key.name);
  if (object != nullptr && string_at(*object, {"metadata", "uid"}) != task.uid) object = nullptr;
  if (resource == kube::kClaims)
    return object == nullptr ? attend_claim(task.key, task.uid) : bind_reserved(*object, task.key);
  if (resource == kube::kVolumes && object != nullptr) return attend_volume(*object);
  if (resource == group_kinds().snapshots)
    return object == nullptr ? take_away_group(task.uid) : attend_group(*object, task.key);
  if (resource != kube::kVolumeSnapshots) return;
  if (object == nullptr) return take_away_content(task.uid);
  attend_snapshot(*object, task.key);
}

void Storage::ask(const char* method, const std::string& path, const Value& body) {
  // Refused when somebody was faster: what is there then brings a task of its own.
  static_cast<void>(server_.ask(
      caller_, method, path, body,
      method == std::string_view("PATCH") ? "application/merge-patch+json" : "application/json"));
}

bool Storage::provide(const kube::Key& key) {
  const ObjectPtr claim = history_.get("persistentvolumeclaims", key.ns, key.name);
  if (claim == nullptr || !string_at(*claim, {"spec", "volumeName"}).empty()) return true;
  std::optional<std::string> data = volumes_.source_of(*claim);
  if (!data) return false;
  const std::string_view uid = string_at(*claim, {"metadata", "uid"});
  const std::string name = fmt::format("volume-{}", ++made_);
  volumes_.fill(name, *std::move(data));
  ask("POST", "/api/v1/persistentvolumes",
      Object{{"apiVersion", "v1"},
             {"kind", "PersistentVolume"},
             {"metadata", Object{{"name", name}, {"annotations", Object{{kProvisionedBy, "sim"}}}}},
             {"spec", Object{{"capacity", Object{{"storage", "1Gi"}}},
                             {"accessModes", Array{"ReadWriteOnce"}},
                             {"persistentVolumeReclaimPolicy", "Delete"},
                             {"storageClassName", "sim"},
                             {"hostPath", Object{{"path", "/sim"}}},
                             {"claimRef", Object{{"apiVersion", "v1"},
                                                 {"kind", "PersistentVolumeClaim"},
                                                 {"namespace", key.ns},
                                                 {"name", key.name},
                                                 {"uid", uid}}}}}});
  ask("PATCH", kube::kClaims.path(key.ns, key.name),
      Object{{"metadata", Object{{"uid", uid}}}, {"spec", Object{{"volumeName", name}}}});
  history_.catch_up();
  if (const ObjectPtr bound = history_.get("persistentvolumeclaims", key.ns, key.name))
    for (const auto& part : parts_) part->provided(*bound);
  return true;
}

/// A claim is gone: so is its volume, unless it is retained.
void Storage::attend_claim(const kube::Key&, const std::string& uid) {
  for (const auto& [key, volume] : History::Objects(history_.now("persistentvolumes")))
    if (string_at(*volume, {"spec", "claimRef", "uid"}) == uid) attend_volume(*volume);
}

/// The binder meets a claim for which a volume is reserved. As long as it has not seen that, it
/// gives the claim another one.
void Storage::bind_reserved(const Value& claim, const kube::Key& key) {
  if (!string_at(claim, {"spec", "volumeName"}).empty()) return;
  for (const auto& [name, volume] : History::Objects(history_.now("persistentvolumes"))) {
    const Value* reference = model::find(*volume, {"spec", "claimRef"});
    if (reference == nullptr || string_at(*reference, {"namespace"}) != key.ns ||
        string_at(*reference, {"name"}) != key.name || !string_at(*reference, {"uid"}).empty())
      continue;
    if (string_at(*volume, {"status", "phase"}) == "Available") return attend_volume(*volume);
    static_cast<void>(provide(key));
    return;
  }
}

void Storage::tell_phase(const std::string& volume, std::string_view phase) {
  ask("PATCH", kube::kVolumes.path("", volume, "status"),
      Object{{"status", Object{{"phase", phase}}}});
}

void Storage::attend_volume(const Value& volume) {
  const std::string name(string_at(volume, {"metadata", "name"}));
  const Value* reference = model::find(volume, {"spec", "claimRef"});
  if (reference == nullptr) return;
  const ObjectPtr claim =
      history_.get("persistentvolumeclaims", string_at(*reference, {"namespace"}),
                   string_at(*reference, {"name"}));
  const std::string_view uid = string_at(*reference, {"uid"});
  const std::string_view phase = string_at(volume, {"status", "phase"});
  // Reserved: the claim of that name gets it, unless it has another one.
  if (uid.empty() && phase != "Available") return tell_phase(name, "Available");
  const std::string_view wanted =
      claim == nullptr ? std::string_view() : string_at(*claim, {"spec", "volumeName"});
  if (uid.empty() && claim != nullptr && (wanted.empty() || wanted == name))
    return ask("PATCH", kube::kVolumes.path("", name),
               Object{{"spec", Object{{"claimRef",
                                       Object{{"uid", string_at(*claim, {"metadata", "uid"})}}}}}});
  if (uid.empty()) return;
  if (claim == nullptr || string_at(*claim, {"metadata", "uid"}) != uid) {
    if (string_at(volume, {"spec", "persistentVolumeReclaimPolicy"}) == "Delete")
      ask("DELETE", kube::kVolumes.path("", name), nullptr);
    return;
  }
  if (phase == "Available") return tell_phase(name, "Bound");
  if (!wanted.empty()) return;
  ask("PATCH",
      kube::kClaims.path(string_at(*reference, {"namespace"}), string_at(*reference, {"name"})),
      Object{{"metadata", Object{{"uid", uid}}}, {"spec", Object{{"volumeName", name}}}});
}

void Storage::attend_snapshot(const Value& snapshot, const kube::Key& key) {
  if (model::bool_at(snapshot, {"status", "readyToUse"}, false)) return;
  const std::string uid(string_at(snapshot, {"metadata", "uid"}));
  std::string content(string_at(snapshot, {"spec", "source", "volumeSnapshotContentName"}));
  // Members of a group are bound from the beginning.
  if (content.empty()) content = string_at(snapshot, {"status", "boundVolumeSnapshotContentName"});
  if (content.empty()) {
    const std::string claim(string_at(snapshot, {"spec", "source", "persistentVolumeClaimName"}));
    if (history_.get("persistentvolumeclaims", key.ns, claim) == nullptr) return;
    cut({key.ns, claim}, snapshot, "handle-" + uid);
    content = fmt::format("snapcontent-{}", uid);
    ask("POST", kube::kVolumeSnapshotContents.path("", ""),
        Object{
            {"apiVersion", kube::kVolumeSnapshotContents.api_version()},
            {"kind", kube::kVolumeSnapshotContents.kind},
            {"metadata", Object{{"name", content}}},
            {"spec", Object{{"deletionPolicy", "Delete"},
                            {"driver", "sim"},
                            {"volumeSnapshotRef",
                             Object{{"namespace", key.ns}, {"name", key.name}, {"uid", uid}}}}}});
    ask("PATCH", kube::kVolumeSnapshotContents.path("", content, "status"),
        Object{{"status", Object{{"snapshotHandle", "handle-" + uid}, {"readyToUse", true}}}});
  } else {
    const ObjectPtr given = history_.get(kube::kVolumeSnapshotContents.plural, "", content);
    if (given == nullptr) return;
    ask("PATCH", kube::kVolumeSnapshotContents.path("", content),
        Object{{"spec", Object{{"volumeSnapshotRef", Object{{"uid", uid}}}}}});
    Object status{{"readyToUse", true}};
    if (const std::string_view handle = string_at(*given, {"spec", "source", "snapshotHandle"});
        !handle.empty())
      status["snapshotHandle"] = handle;
    ask("PATCH", kube::kVolumeSnapshotContents.path("", content, "status"),
        Object{{"status", std::move(status)}});
  }
  ask("PATCH", kube::kVolumeSnapshots.path(key.ns, key.name, "status"),
      Object{{"metadata", Object{{"uid", uid}}},
             {"status", Object{{"readyToUse", true},
                               {"creationTime", model::to_rfc3339(clock_.now())},
                               {"restoreSize", "1Gi"},
                               {"boundVolumeSnapshotContentName", content}}}});
}

/// All claims that its label selects, at one instant; what was cut is ready a moment later.
void Storage::attend_group(const Value& group, const kube::Key& key) {
  if (model::bool_at(group, {"status", "readyToUse"}, false)) return;
  const std::string uid(string_at(group, {"metadata", "uid"}));
  if (!string_at(group, {"status", "creationTime"}).empty())
    return ask(
        "PATCH", group_kinds().snapshots.path(key.ns, key.name, "status"),
        Object{{"metadata", Object{{"uid", uid}}}, {"status", Object{{"readyToUse", true}}}});
  Array told;
  struct Member {
    kube::Key claim{};
    std::string volume{}, handle{};
  };
  std::vector<Member> members;
  for (const auto& [claim, object] : History::Objects(history_.now("persistentvolumeclaims"))) {
    bool chosen = claim.ns == key.ns;
    for (const auto& each : model::object_at(group, {"spec", "source", "selector", "matchLabels"}))
      chosen = chosen && string_at(*object, {"metadata", "labels", each.key()}) ==
                             model::view(each.value().as_string());
    if (!chosen) continue;
    const std::string handle = fmt::format("handle-{}-{}", uid, claim.name);
    cut(claim, group, handle);
    const std::string volume(string_at(*object, {"spec", "volumeName"}));
    told.push_back(Object{{"volumeHandle", volume}, {"snapshotHandle", handle}});
    members.push_back({claim, volume, handle});
  }
  const std::string content = "groupsnapcontent-" + uid;
  const kube::Resource& contents = group_kinds().contents;
  ask("POST", contents.path("", ""),
      Object{{"apiVersion", contents.api_version()},
             {"kind", contents.kind},
             {"metadata", Object{{"name", content}}},
             {"spec", Object{{"driver", "sim"}}}});
  ask("PATCH", contents.path("", content, "status"),
      Object{{"status", Object{{"volumeSnapshotHandlePairList", std::move(told)}}}});
  for (const Member& each : members) make_member(group, each.claim, each.volume, each.handle);
  ask("PATCH", group_kinds().snapshots.path(key.ns, key.name, "status"),
      Object{{"metadata", Object{{"uid", uid}}},
             {"status", Object{{"readyToUse", false},
                               {"creationTime", model::to_rfc3339(clock_.now())},
                               {"boundVolumeGroupSnapshotContentName", content}}}});
}

void Storage::make_member(const Value& group, const kube::Key& claim, const std::string& volume,
                          const std::string& handle) {
  const std::string name = fmt::format("{}-{}", string_at(group, {"metadata", "name"}), claim.name);
  const Value owner = Object{{"apiVersion", group_kinds().snapshots.api_version()},
                             {"kind", group_kinds().snapshots.kind},
                             {"name", string_at(group, {"metadata", "name"})},
                             {"uid", string_at(group, {"metadata", "uid"})},
                             {"controller", true}};
  ask("POST", kube::kVolumeSnapshotContents.path("", ""),
      Object{{"apiVersion", kube::kVolumeSnapshotContents.api_version()},
             {"kind", kube::kVolumeSnapshotContents.kind},
             {"metadata", Object{{"name", name}}},
             {"spec",
              Object{{"deletionPolicy", "Delete"},
                     {"driver", "sim"},
                     {"source", Object{{"volumeHandle", volume}}},
                     {"volumeSnapshotRef", Object{{"namespace", claim.ns}, {"name", name}}}}}});
  ask("PATCH", kube::kVolumeSnapshotContents.path("", name, "status"),
      Object{{"status", Object{{"snapshotHandle", handle}}}});
  ask("POST", kube::kVolumeSnapshots.path(claim.ns, ""),
      Object{{"apiVersion", kube::kVolumeSnapshots.api_version()},
             {"kind", kube::kVolumeSnapshots.kind},
             {"metadata",
              Object{{"name", name}, {"namespace", claim.ns}, {"ownerReferences", Array{owner}}}},
             {"spec", Object{{"source", Object{{"persistentVolumeClaimName", claim.name}}}}}});
  ask("PATCH", kube::kVolumeSnapshots.path(claim.ns, name, "status"),
      Object{{"status", Object{{"boundVolumeSnapshotContentName", name}}}});
}

void Storage::cut(const kube::Key& claim, const Value& snapshot, const std::string& handle) {
  volumes_.cut(claim, handle);
  for (const auto& part : parts_) part->cut(snapshot, claim);
}

/// With the group go its members.
void Storage::take_away_group(const std::string& group_uid) {
  for (const auto& [key, snapshot] : History::Objects(history_.now("volumesnapshots")))
    for (const Value& owner : model::array_at(*snapshot, {"metadata", "ownerReferences"}))
      if (string_at(owner, {"uid"}) == group_uid) {
        ask("DELETE", kube::kVolumeSnapshotContents.path("", key.name), nullptr);
        ask("DELETE", kube::kVolumeSnapshots.path(key.ns, key.name), nullptr);
      }
}

void Storage::take_away_content(const std::string& snapshot_uid) {
  const std::string name = fmt::format("snapcontent-{}", snapshot_uid);
  if (history_.get(kube::kVolumeSnapshotContents.plural, "", name) != nullptr)
    ask("DELETE", kube::kVolumeSnapshotContents.path("", name), nullptr);
}

}  // namespace holdfast::sim
