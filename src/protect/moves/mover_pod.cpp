#include "moves/mover_pod.h"

#include <holdfast/base/walls.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/pods.h>

#include "locations/location_mounts.h"
#include "moves/rounds.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using model::Array;
using model::Object;
using model::Value;

constexpr std::string_view kData = "/data";

bool names_claim(std::string_view tag) {
  return tag.starts_with(kClaimTag) || tag.starts_with(kLogTag);
}

PodMounts mounts_of(const MoveSeen& seen) {
  PodMounts out;
  const DataMove::Spec& move = seen.move.spec;
  const bool reads = move.direction == DataMove::Direction::Backup;
  // A pod's folder is unpacked there first.
  if (move.pod) out.add("data", kData, {{"emptyDir", Object()}}, false);
  if (move.volume) {
    const std::string claim = is_staged(seen) ? staged_name(seen) : move.volume->claim;
    out.add("data", kData,
            {{"persistentVolumeClaim", Object{{"claimName", claim}, {"readOnly", reads}}}}, reads);
  }
  add_location(out, seen.location->location.spec);
  return out;
}

/// The claim that the data is of, as far as it is known, or the pod, or the document. A tag of the
/// move goes first: the snapshots of a cut of several claims do not say whose they are. By this
/// name the next backup finds this one, and reads only what has changed.
std::string source_of(const MoveSeen& seen) {
  for (const std::string& tag : seen.move.spec.tags)
    if (names_claim(tag)) return tag.substr(tag.rfind('/') + 1);
  if (seen.move.spec.document) return seen.move.spec.document->name;
  if (seen.move.spec.pod) return seen.move.spec.pod->name;
  if (!seen.move.spec.volume) return "";
  const DataMove::Volume& volume = *seen.move.spec.volume;
  if (!volume.claim.empty()) return volume.claim;
  const std::optional<CutSeen>& cut = seen.staging.cut;
  return cut && !cut->claim.empty() ? cut->claim : volume.snapshot;
}

/// By which a later attempt knows what an earlier one has saved; each round has its own.
std::vector<std::string> own_tags(const MoveSeen& seen) {
  std::vector<std::string> out{fmt::format("dm={}", seen.uid)};
  if (seen.move.spec.follow)
    out.push_back(
        fmt::format("round={}", seen.move.status.rounds.value_or(DataMove::Rounds()).current));
  return out;
}

/// A backup of a claim by way of another one, as of a cut of several, says itself whose data it is.
std::vector<std::string> tags_of(const MoveSeen& seen, const std::string& source) {
  const std::vector<std::string>& wanted = seen.move.spec.tags;
  if (seen.move.spec.direction == DataMove::Direction::Forget) return wanted;
  const bool says_claim = std::any_of(wanted.begin(), wanted.end(), names_claim);
  std::vector<std::string> tags;
  if (seen.move.spec.pod)
    tags.push_back(fmt::format("pod={}/{}", seen.ns, source));
  else if (seen.move.spec.document)
    tags.push_back(fmt::format("document={}/{}", seen.ns, source));
  else if (!says_claim)
    tags.push_back(fmt::format("{}{}/{}", kClaimTag, seen.volume_ns, source));
  const std::vector<std::string> own = own_tags(seen);
  tags.insert(tags.end(), own.begin(), own.end());
  tags.insert(tags.end(), wanted.begin(), wanted.end());
  return tags;
}

Object mover_metadata(const MoveSeen& seen, int64_t attempt) {
  const bool beside = seen.mover_ns == seen.ns;
  Object out =
      control::made_metadata(beside ? kMoveMark : kMoverElsewhere, {seen.ns, seen.name, seen.uid},
                             seen.mover_ns, mover_name(seen, attempt));
  out["labels"].as_object()[kAttemptLabel] = std::to_string(attempt);
  if (beside)
    out["ownerReferences"] =
        Array{control::controller_reference(kube::resource_of<DataMove>(), seen.object)};
  return out;
}

Object managed(const MoveSeen& seen, const std::string& name, const std::string& ns, Value owner) {
  Object out = control::made_metadata(kMoverElsewhere, {seen.ns, seen.name, seen.uid}, ns, name);
  out["ownerReferences"] = Array{std::move(owner)};
  return out;
}

Value allow(std::string_view group, std::string_view resource, const Array& verbs,
            const std::string& name) {
  Object rule{{"apiGroups", Array{group}}, {"resources", Array{resource}}, {"verbs", verbs}};
  if (!name.empty()) rule["resourceNames"] = Array{name};
  return Value(std::move(rule));
}

Value role(Object metadata, Array rules) {
  return Value(Object{{"apiVersion", kube::kRoles.api_version()},
                      {"kind", "Role"},
                      {"metadata", std::move(metadata)},
                      {"rules", std::move(rules)}});
}

Value binding(Object metadata, const std::string& role_name, const MoveSeen& seen) {
  return Value(Object{
      {"apiVersion", kube::kRoleBindings.api_version()},
      {"kind", "RoleBinding"},
      {"metadata", std::move(metadata)},
      {"roleRef", Object{{"apiGroup", kube::kRoles.group}, {"kind", "Role"}, {"name", role_name}}},
      {"subjects", Array{Value(Object{{"kind", "ServiceAccount"},
                                      {"name", mover_object_name(seen.uid)},
                                      {"namespace", seen.mover_ns}})}}});
}

/// In the namespace of the move it goes with it; elsewhere it is what the rest is found by when the
/// move is gone.
Value mover_for(const MoveSeen& seen) {
  Mover mover;
  mover.spec.move = Reference{seen.name, seen.ns};
  mover.spec.location = seen.location->name;
  mover.spec.repository = seen.repository;
  mover.spec.own = seen.ns == seen.mover_ns || seen.is_admin;
  mover.spec.limits = seen.move.spec.limits;
  if (seen.move.spec.direction == DataMove::Direction::Backup) {
    mover.spec.document = seen.move.spec.document;
    if (wall_stands("backups are read back")) mover.spec.expects = seen.move.spec.expects;
  }
  Value out = model::encode_object(mover);
  Object metadata = control::made_metadata(kMoverElsewhere, {seen.ns, seen.name, seen.uid},
                                           seen.mover_ns, mover_object_name(seen.uid));
  if (seen.mover_ns == seen.ns)
    metadata["ownerReferences"] =
        Array{control::controller_reference(kube::resource_of<DataMove>(), seen.object)};
  out.as_object()["metadata"] = std::move(metadata);
  return out;
}

/// It may read its Mover and report there, and nothing else.
Array rules_of(const std::string& name) {
  Array rules{allow("holdfast.dev", "movers", {"get"}, name),
              allow("holdfast.dev", "movers/status", {"patch"}, name)};
  if (!wall_stands("only the operator writes moves"))
    rules.push_back(allow("holdfast.dev", "datamoves/status", {"patch"}, ""));
  return rules;
}

}  // namespace

std::string mover_name(const MoveSeen& seen, int64_t attempt) {
  return control::child_name(seen.name, seen.uid, fmt::format("mover-{}", attempt));
}

std::string mover_object_name(std::string_view move_uid) {
  return fmt::format("mover-{:016x}", control::name_hash(move_uid));
}

MoveTask task_of(const MoveSeen& seen, int64_t attempt) {
  const DataMove::Spec& move = seen.move.spec;
  MoveTask task;
  task.ns = seen.ns;
  task.name = seen.name;
  task.mover = mover_object_name(seen.uid);
  task.mover_ns = seen.mover_ns;
  task.pod_name = mover_name(seen, attempt);
  task.direction = model::word(move.direction);
  task.folder = kData;
  task.access = access_to(*seen.location, seen.repository, seen.known);
  task.snapshot = move.snapshot;
  task.chunking = model::word(move.chunking);
  if (move.limits) task.bytes_per_second = move.limits->bytes_per_second.value_or(0);
  task.host = source_of(seen);
  task.tags = tags_of(seen, task.host);
  if (wall_stands("attempts take up what was saved")) task.own_tags = own_tags(seen);
  task.snapshots = move.snapshots;
  task.all_tagged = move.all_tagged;
  if (move.document) task.document = move.document->name;
  task.find = move.find;
  if (move.pod) {
    task.pod = move.pod->name;
    task.container = move.pod->container;
    task.directory = move.pod->directory;
    task.command = move.pod->command;
  }
  for (int64_t earlier = attempts_before(seen.move.status) + 1; earlier < attempt; ++earlier)
    task.earlier_movers.push_back(mover_name(seen, earlier));
  return task;
}

Value mover_pod(const MoveSeen& seen, int64_t attempt, const MoverSettings& settings) {
  PodMounts mounts = mounts_of(seen);
  OwnPod pod{"mover", "mover", settings.image, settings.command};
  pod.parts = {
      {"env", Array{Object{{"name", "HOLDFAST_MOVE"}, {"value", to_text(task_of(seen, attempt))}}}},
      {"volumeMounts", std::move(mounts.mounts)}};
  pod.volumes = std::move(mounts.volumes);
  // What a restore gives back may hold device nodes; the volume's mount makes none usable.
  if (seen.move.spec.direction == DataMove::Direction::Restore)
    pod.parts["securityContext"] = Object{{"capabilities", Object{{"add", Array{"MKNOD"}}}}};
  const std::string account = mover_object_name(seen.uid);
  pod.account = account;
  pod.reports = true;
  return Value(Object{{"apiVersion", "v1"},
                      {"kind", "Pod"},
                      {"metadata", mover_metadata(seen, attempt)},
                      {"spec", spec_of(std::move(pod))}});
}

std::string exec_role_name(const MoveSeen& seen) {
  return control::child_name(seen.name, seen.uid, "exec");
}

std::vector<std::pair<kube::Resource, Value>> account_of(const MoveSeen& seen) {
  std::vector<std::pair<kube::Resource, Value>> out{{kube::resource_of<Mover>(), mover_for(seen)}};
  if (!seen.mover_object) return out;
  const std::string name = mover_object_name(seen.uid);
  const Value owner =
      control::controller_reference(kube::resource_of<Mover>(), seen.mover_object->object);
  const Object metadata = managed(seen, name, seen.mover_ns, owner);
  out.emplace_back(
      kube::kServiceAccounts,
      Value(Object{{"apiVersion", "v1"}, {"kind", "ServiceAccount"}, {"metadata", metadata}}));
  out.emplace_back(kube::kRoles, role(metadata, rules_of(name)));
  out.emplace_back(kube::kRoleBindings, binding(metadata, name, seen));
  if (!seen.move.spec.pod) return out;
  const std::string& pod = seen.move.spec.pod->name;
  const Object beside =
      managed(seen, exec_role_name(seen), seen.ns,
              control::controller_reference(kube::resource_of<DataMove>(), seen.object));
  out.emplace_back(kube::kRoles, role(beside, {allow("", "pods", {"get"}, pod),
                                               allow("", "pods/exec", {"create", "get"}, pod)}));
  out.emplace_back(kube::kRoleBindings, binding(beside, exec_role_name(seen), seen));
  return out;
}

}  // namespace holdfast::protect
