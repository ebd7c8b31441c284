#include "statefulset/act.h"

#include "pods/template.h"

#include <fmt/format.h>

namespace holdfast::workloads::statefulset {

using control::Note;
using control::Write;
using model::Array;
using model::Object;
using model::Value;

namespace {

constexpr std::string_view kPodNameLabel = "statefulset.kubernetes.io/pod-name";
constexpr std::string_view kPodIndexLabel = "apps.kubernetes.io/pod-index";
constexpr std::string_view kRevisionLabel = "controller-revision-hash";

Write noted_pod(Write write, std::string_view verb, std::string_view action, const Set& set,
                std::string_view pod) {
  write.note =
      Note{.reason = fmt::format("Successful{}", action),
           .message = fmt::format("{} Pod {} in StatefulSet {} successful", verb, pod, set.name),
           .action = std::string(action)};
  write.refused =
      Note{.warning = true,
           .reason = fmt::format("Failed{}", action),
           .message = fmt::format("{} Pod {} in StatefulSet {} failed error", verb, pod, set.name),
           .action = std::string(action)};
  return write;
}

void label_member(Object& labels, std::string_view name, int64_t ordinal) {
  labels[kPodNameLabel] = name;
  labels[kPodIndexLabel] = std::to_string(ordinal);
}

/// Claims first, then the volumes that are not of claims.
Array member_volumes(const Set& set, const Array& others, int64_t ordinal) {
  Array volumes;
  const auto templates = claim_templates(set);
  for (const std::string_view name : templates) {
    Object volume;
    volume["name"] = name;
    volume["persistentVolumeClaim"] = Object{{"claimName", claim_name(set, name, ordinal)}};
    volumes.push_back(std::move(volume));
  }
  for (const Value& volume : others) {
    const std::string_view name = model::string_at(volume, {"name"});
    if (std::find(templates.begin(), templates.end(), name) == templates.end())
      volumes.push_back(volume);
  }
  return volumes;
}

}  // namespace

Write create_revision(const Observed& seen, const History& history) {
  return control::create(kube::kRevisions, new_revision(seen, history));
}

Write renumber_revision(const Revision& revision, int64_t number) {
  Value changed = revision.object.value();
  changed.as_object()["revision"] = number;
  return control::update(kube::kRevisions, revision.object, std::move(changed));
}

Write create_claim(const Set& set, const Value& claim_template, const Member& member) {
  const std::string name =
      claim_name(set, model::string_at(claim_template, {"metadata", "name"}), member.ordinal);
  Value claim = claim_template;
  model::erase(claim, {"status"});
  claim.as_object()["apiVersion"] = "v1";
  claim.as_object()["kind"] = "PersistentVolumeClaim";
  Object& metadata = model::ensure_object(claim, {"metadata"});
  metadata["name"] = name;
  metadata["namespace"] = set.ns;
  metadata.erase("creationTimestamp");
  const Object& selected = model::object_at(*set.value, {"spec", "selector", "matchLabels"});
  if (!selected.empty()) {
    Object& labels = model::ensure_object(claim, {"metadata", "labels"});
    for (const auto& [key, value] : selected) labels[key] = value;
  }
  Write write = control::create(kube::kClaims, std::move(claim));
  write.note = Note{.reason = "SuccessfulCreate",
                    .message = fmt::format("create Claim {} Pod {} in StatefulSet {} success", name,
                                           member.name, set.name),
                    .action = "Create"};
  write.refused =
      Note{.warning = true,
           .reason = "FailedCreate",
           .message = fmt::format("create Claim {} for Pod {} in StatefulSet {} failed error", name,
                                  member.name, set.name),
           .action = "Create"};
  return write;
}

Write own_claim(const VolumeClaim& claim, const Set& set, const Member& member) {
  Value changed = *claim.value;
  Array owners = wanted_owners(claim, set, member);
  if (owners.empty())
    model::erase(changed, {"metadata", "ownerReferences"});
  else
    model::ensure_object(changed, {"metadata"})["ownerReferences"] = std::move(owners);
  Write write = control::update(kube::kClaims, claim.object, std::move(changed));
  // A pod that has just been made has its claims seen to without a word.
  const bool told = member.pod && member.pod->phase != "Pending" && set.holds(member.ordinal);
  return told ? noted_pod(std::move(write), "update", "Update", set, member.name) : write;
}

Write create_pod(const Set& set, const Revision& revision, int64_t ordinal) {
  const Value pattern = template_of(revision);
  const std::string name = member_of(set, ordinal).name;
  Value pod = pod_from_template(pattern, set.ns, name, pod_prefix(set.name),
                                control::controller_reference(kube::kStatefulSets, set.object));
  Object& labels = model::ensure_object(pod, {"metadata", "labels"});
  label_member(labels, name, ordinal);
  labels[kRevisionLabel] = revision.name;
  Object& spec = model::ensure_object(pod, {"spec"});
  spec["hostname"] = name;
  const std::string_view service = model::string_at(*set.value, {"spec", "serviceName"});
  if (service.empty())
    spec.erase("subdomain");
  else
    spec["subdomain"] = service;
  Array volumes = member_volumes(set, model::array_at(pattern, {"spec", "volumes"}), ordinal);
  if (!volumes.empty()) spec["volumes"] = std::move(volumes);
  return noted_pod(control::create(kube::kPods, std::move(pod)), "create", "Create", set, name);
}

Write mend_pod(const Set& set, const Replica& pod) {
  Value changed = *pod.value;
  label_member(model::ensure_object(changed, {"metadata", "labels"}), pod.name(), pod.ordinal);
  if (!storage_matches(set, pod))
    model::ensure_object(changed, {"spec"})["volumes"] =
        member_volumes(set, model::array_at(*pod.value, {"spec", "volumes"}), pod.ordinal);
  return noted_pod(control::update(kube::kPods, pod.object, std::move(changed)), "update", "Update",
                   set, pod.name());
}

Write delete_pod(const Set& set, const Replica& pod) {
  return noted_pod(control::remove(kube::kPods, pod.object), "delete", "Delete", set, pod.name());
}

bool identity_matches(const Replica& pod) {
  const Object& labels = model::object_at(*pod.value, {"metadata", "labels"});
  const Value* name = labels.if_contains(kPodNameLabel);
  return name != nullptr && name->is_string() && model::view(name->get_string()) == pod.name();
}

bool storage_matches(const Set& set, const Replica& pod) {
  const Array& volumes = model::array_at(*pod.value, {"spec", "volumes"});
  for (const std::string_view name : claim_templates(set)) {
    const auto volume = std::find_if(volumes.begin(), volumes.end(), [&](const Value& v) {
      return model::string_at(v, {"name"}) == name;
    });
    if (volume == volumes.end() ||
        model::string_at(*volume, {"persistentVolumeClaim", "claimName"}) !=
            claim_name(set, name, pod.ordinal))
      return false;
  }
  return true;
}

Note note_claim_terminating(std::string_view doing, const Set& set, const Member& member,
                            std::string_view claim) {
  return {
      .warning = true,
      .reason = doing == "create" ? "FailedCreate" : "FailedUpdate",
      .message = fmt::format("{} Pod {} in StatefulSet {} failed error: pvc {} is being deleted",
                             doing, member.name, set.name, claim),
      .action = doing == "create" ? "Create" : "Update"};
}

Note note_foreign_controller(std::string_view claim) {
  return {.warning = true,
          .reason = "ConflictingController",
          .message = fmt::format("PersistentVolumeClaim {} has a conflicting OwnerReference that "
                                 "acts as a manging controller, the retention policy is ignored "
                                 "for this claim",
                                 claim),
          .action = "Update"};
}

}  // namespace holdfast::workloads::statefulset
