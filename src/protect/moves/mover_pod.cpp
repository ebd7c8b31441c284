#include "moves/mover_pod.h"

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
    tags.push_back(fmt::format("{}{}/{}", kClaimTag, seen.ns, source));
  tags.push_back(fmt::format("dm={}", seen.uid));
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

Object managed(const std::string& name, const std::string& ns) {
  return {{"name", name},
          {"namespace", ns},
          {"labels", Object{{"app.kubernetes.io/managed-by", "holdfast"}}}};
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

Value binding(Object metadata, const std::string& role_name, const std::string& mover_ns) {
  return Value(Object{
      {"apiVersion", kube::kRoleBindings.api_version()},
      {"kind", "RoleBinding"},
      {"metadata", std::move(metadata)},
      {"roleRef", Object{{"apiGroup", kube::kRoles.group}, {"kind", "Role"}, {"name", role_name}}},
      {"subjects",
       Array{Value(Object{
           {"kind", "ServiceAccount"}, {"name", kMoverAccount}, {"namespace", mover_ns}})}}});
}

}  // namespace

std::string mover_name(const MoveSeen& seen, int64_t attempt) {
  return control::child_name(seen.name, seen.uid, fmt::format("mover-{}", attempt));
}

MoveTask task_of(const MoveSeen& seen, int64_t attempt) {
  const DataMove::Spec& move = seen.move.spec;
  MoveTask task;
  task.ns = seen.ns;
  task.name = seen.name;
  task.direction = model::word(move.direction);
  task.folder = kData;
  task.access = access_to(*seen.location, seen.ns);
  task.snapshot = move.snapshot;
  task.chunking = model::word(move.chunking);
  if (move.limits) task.bytes_per_second = move.limits->bytes_per_second.value_or(0);
  task.host = source_of(seen);
  task.tags = tags_of(seen, task.host);
  task.snapshots = move.snapshots;
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
  pod.account = kMoverAccount;
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
  const std::string account(kMoverAccount);
  const std::string bound =
      seen.ns == seen.mover_ns ? account : fmt::format("{}.{}", account, seen.mover_ns);
  std::vector<std::pair<kube::Resource, Value>> out{
      {kube::kServiceAccounts, Value(Object{{"apiVersion", "v1"},
                                            {"kind", "ServiceAccount"},
                                            {"metadata", managed(account, seen.mover_ns)}})},
      {kube::kRoles,
       role(managed(account, seen.ns), {allow("holdfast.dev", "datamoves", {"get"}, ""),
                                        allow("holdfast.dev", "datamoves/status", {"patch"}, "")})},
      {kube::kRoleBindings, binding(managed(bound, seen.ns), account, seen.mover_ns)}};
  if (!seen.move.spec.pod) return out;
  const std::string& pod = seen.move.spec.pod->name;
  Object metadata = managed(exec_role_name(seen), seen.ns);
  metadata["ownerReferences"] =
      Array{control::controller_reference(kube::resource_of<DataMove>(), seen.object)};
  out.emplace_back(kube::kRoles, role(metadata, {allow("", "pods", {"get"}, pod),
                                                 allow("", "pods/exec", {"create", "get"}, pod)}));
  out.emplace_back(kube::kRoleBindings, binding(metadata, exec_role_name(seen), seen.mover_ns));
  return out;
}

}  // namespace holdfast::protect
