// The built-in resources, one row each, as discovery shows them. What a kind's fields are stands in
// the table of kinds (model/kinds.h); what is special about a kind stands in its rules.
#include <holdfast/base/text.h>

#include "kinds/resource.h"

namespace holdfast::apiserver {
namespace {

enum Trait : uint32_t {
  kCluster = 1,         // not namespaced
  kStatus = 2,          // status subresource
  kScale = 4,           // scale subresource
  kNoCollection = 8,    // no deletecollection
  kCreateOnly = 16,     // reviews and bindings: nothing is stored
  kAll = 32,            // category "all"
  kExtensions = 64,     // category "api-extensions"
  kNoGeneration = 128,  // the real strategy never sets metadata.generation
};

struct Row {
  std::string_view group, version, plural, kind;
  uint32_t traits;
  std::string_view short_names;  // comma-separated
  std::string_view other_subresources;
  std::string_view fields;  // selectable beyond metadata.*
  std::string_view hash;    // storageVersionHash
};

constexpr Row kRows[] = {
    {"", "v1", "bindings", "Binding", kCreateOnly, "", "", "", ""},
    {"", "v1", "configmaps", "ConfigMap", kNoGeneration, "cm", "", "", "qFsyl6wFWjQ="},
    {"", "v1", "endpoints", "Endpoints", kNoGeneration, "ep", "", "", "fWeeMqaN/OA="},
    {"", "v1", "events", "Event", kNoGeneration, "ev", "",
     "involvedObject.kind,involvedObject.namespace,involvedObject.name,involvedObject.uid,"
     "involvedObject.apiVersion,"
     "involvedObject.resourceVersion,involvedObject.fieldPath,reason,reportingComponent,source,"
     "type",
     "r2yiGXH7wu8="},
    {"", "v1", "limitranges", "LimitRange", kNoGeneration, "limits", "", "", "EBKMFVe6cwo="},
    {"", "v1", "namespaces", "Namespace", kCluster | kStatus | kNoCollection | kNoGeneration, "ns",
     "finalize", "status.phase", "Q3oi5N2YM8M="},
    {"", "v1", "nodes", "Node", kCluster | kStatus | kNoGeneration, "no", "", "spec.unschedulable",
     "XwShjMxG9Fs="},
    {"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", kStatus | kNoGeneration, "pvc",
     "", "", "QWTyNDq0dC4="},
    {"", "v1", "persistentvolumes", "PersistentVolume", kCluster | kStatus | kNoGeneration, "pv",
     "", "", "HN/zwEC+JgM="},
    {"", "v1", "pods", "Pod", kStatus | kAll, "po", "attach,binding,exec,log,portforward",
     "spec.nodeName,spec.restartPolicy,spec.schedulerName,spec.serviceAccountName,spec.hostNetwork,"
     "status.phase,"
     "status.podIP,status.podIPs,status.nominatedNodeName",
     "xPOwRZ+Yhw8="},
    {"", "v1", "podtemplates", "PodTemplate", 0, "", "", "", "LIXB2x4IFpk="},
    {"", "v1", "replicationcontrollers", "ReplicationController", kStatus | kScale | kAll, "rc", "",
     "status.replicas", "Jond2If31h0="},
    {"", "v1", "resourcequotas", "ResourceQuota", kStatus | kNoGeneration, "quota", "", "",
     "8uhSgffRX6w="},
    {"", "v1", "secrets", "Secret", kNoGeneration, "", "", "type", "S6u1pOWzb84="},
    {"", "v1", "serviceaccounts", "ServiceAccount", kNoGeneration, "sa", "token", "",
     "pbx9ZvyFpBE="},
    {"", "v1", "services", "Service", kStatus | kNoGeneration | kAll, "svc", "",
     "spec.clusterIP,spec.type", "0/CO1lhkEBI="},

    {"apps", "v1", "controllerrevisions", "ControllerRevision", kNoGeneration, "", "", "",
     "85nkx63pcBU="},
    {"apps", "v1", "daemonsets", "DaemonSet", kStatus | kAll, "ds", "", "", "dd7pWHUlMKQ="},
    {"apps", "v1", "deployments", "Deployment", kStatus | kScale | kAll, "deploy", "", "",
     "8aSe+NMegvE="},
    {"apps", "v1", "replicasets", "ReplicaSet", kStatus | kScale | kAll, "rs", "",
     "status.replicas", "P1RzHs8/mWQ="},
    {"apps", "v1", "statefulsets", "StatefulSet", kStatus | kScale | kAll, "sts", "", "",
     "H+vl74LkKdo="},

    {"events.k8s.io", "v1", "events", "Event", kNoGeneration, "ev", "",
     "regarding.kind,regarding.namespace,regarding.name,regarding.uid,regarding.apiVersion,"
     "regarding.resourceVersion,"
     "regarding.fieldPath,reason,reportingController,type",
     "r2yiGXH7wu8="},

    {"authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview",
     kCluster | kCreateOnly, "", "", "", ""},
    {"authentication.k8s.io", "v1", "tokenreviews", "TokenReview", kCluster | kCreateOnly, "", "",
     "", ""},
    {"authorization.k8s.io", "v1", "localsubjectaccessreviews", "LocalSubjectAccessReview",
     kCreateOnly, "", "", "", ""},
    {"authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview",
     kCluster | kCreateOnly, "", "", "", ""},
    {"authorization.k8s.io", "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview",
     kCluster | kCreateOnly, "", "", "", ""},
    {"authorization.k8s.io", "v1", "subjectaccessreviews", "SubjectAccessReview",
     kCluster | kCreateOnly, "", "", "", ""},

    {"autoscaling", "v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler",
     kStatus | kAll | kNoGeneration, "hpa", "", "", "qwQve8ut294="},
    {"autoscaling", "v1", "horizontalpodautoscalers", "HorizontalPodAutoscaler",
     kStatus | kAll | kNoGeneration, "hpa", "", "", "qwQve8ut294="},

    {"batch", "v1", "cronjobs", "CronJob", kStatus | kAll, "cj", "", "", "sd5LIXh4Fjs="},
    {"batch", "v1", "jobs", "Job", kStatus | kAll, "", "", "status.successful", "mudhfqk/qZY="},

    {"networking.k8s.io", "v1", "ingressclasses", "IngressClass", kCluster, "", "", "",
     "l/iqIbDgFyQ="},
    {"networking.k8s.io", "v1", "ingresses", "Ingress", kStatus, "ing", "", "", "39NQlfNR+bo="},
    {"networking.k8s.io", "v1", "ipaddresses", "IPAddress", kCluster | kNoGeneration, "ip", "",
     "spec.parentRef.name,spec.parentRef.namespace,spec.parentRef.resource", "3f/plJFChNE="},
    {"networking.k8s.io", "v1", "networkpolicies", "NetworkPolicy", 0, "netpol", "", "",
     "YpfwF18m1G8="},
    {"networking.k8s.io", "v1", "servicecidrs", "ServiceCIDR", kCluster | kStatus | kNoGeneration,
     "", "", "", "gNLvruQhW2g="},

    {"policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", kStatus, "pdb", "", "",
     "EVWiDmWqyJw="},

    {"rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding",
     kCluster | kNoGeneration, "", "", "", "48tpQ8gZHFc="},
    {"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", kCluster | kNoGeneration, "",
     "", "", "bYE5ZWDrJ44="},
    {"rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding", kNoGeneration, "", "", "",
     "eGsCzGH6b1g="},
    {"rbac.authorization.k8s.io", "v1", "roles", "Role", kNoGeneration, "", "", "", "7FuwZcIIItM="},

    {"storage.k8s.io", "v1", "csidrivers", "CSIDriver", kCluster, "", "", "", "hL6j/rwBV5w="},
    {"storage.k8s.io", "v1", "csinodes", "CSINode", kCluster | kNoGeneration, "", "", "",
     "Pe62DkZtjuo="},
    {"storage.k8s.io", "v1", "csistoragecapacities", "CSIStorageCapacity", kNoGeneration, "", "",
     "", "xeVl+2Ly1kE="},
    {"storage.k8s.io", "v1", "storageclasses", "StorageClass", kCluster | kNoGeneration, "sc", "",
     "", "K+m6uJwbjGY="},
    {"storage.k8s.io", "v1", "volumeattachments", "VolumeAttachment",
     kCluster | kStatus | kNoGeneration, "", "", "", "tJx/ezt6UDU="},
    {"storage.k8s.io", "v1", "volumeattributesclasses", "VolumeAttributesClass",
     kCluster | kNoGeneration, "vac", "", "", "Bl3MtjZ/n/s="},

    {"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations",
     "MutatingWebhookConfiguration", kCluster | kExtensions, "", "", "", "Sqi0GUgDaX0="},
    {"admissionregistration.k8s.io", "v1", "validatingadmissionpolicies",
     "ValidatingAdmissionPolicy", kCluster | kStatus | kExtensions, "", "", "", "6OxvlMmQ6is="},
    {"admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings",
     "ValidatingAdmissionPolicyBinding", kCluster | kExtensions, "", "", "", "v9715VZqakg="},
    {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations",
     "ValidatingWebhookConfiguration", kCluster | kExtensions, "", "", "", "B0wHjQmsGNk="},

    {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition",
     kCluster | kStatus | kExtensions, "crd,crds", "", "", "jfWCUB31mvA="},
    {"scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", kCluster, "pc", "", "",
     "1QwjyaZjj3Y="},
    {"coordination.k8s.io", "v1", "leases", "Lease", kNoGeneration, "", "", "", "gqkMMb/YqFM="},
    {"discovery.k8s.io", "v1", "endpointslices", "EndpointSlice", 0, "", "", "", "qgS0xkrxYAI="},
};

// Kinds whose strategy differs from the usual one in a single point.
constexpr std::string_view kConditionalUpdate[] = {"PodDisruptionBudget",
                                                   "CSIDriver",
                                                   "CSIStorageCapacity",
                                                   "VolumeAttachment",
                                                   "CSINode",
                                                   "Lease",
                                                   "ValidatingAdmissionPolicy",
                                                   "ValidatingAdmissionPolicyBinding",
                                                   "MutatingWebhookConfiguration",
                                                   "ValidatingWebhookConfiguration",
                                                   "CustomResourceDefinition"};
constexpr std::string_view kCreateOnUpdate[] = {
    "RoleBinding", "ClusterRoleBinding", "Role", "ClusterRole", "Lease", "LimitRange", "Event",
    "Service",     "Endpoints"};
constexpr std::string_view kReturnsDeleted[] = {"CSIDriver",
                                                "StorageClass",
                                                "VolumeAttachment",
                                                "CSINode",
                                                "VolumeAttributesClass",
                                                "ResourceQuota",
                                                "PersistentVolume",
                                                "PersistentVolumeClaim",
                                                "ServiceAccount",
                                                "Namespace",
                                                "Pod",
                                                "Service",
                                                "PodTemplate"};

template <size_t N>
bool among(const std::string_view (&kinds)[N], std::string_view kind) {
  for (const std::string_view each : kinds)
    if (each == kind) return true;
  return false;
}

std::vector<std::string> list(std::string_view comma_separated) {
  std::vector<std::string> out;
  if (!comma_separated.empty())
    for (const std::string_view part : split(comma_separated, ',')) out.emplace_back(part);
  return out;
}

std::vector<std::string> verbs(uint32_t traits) {
  if (traits & kCreateOnly) return {"create"};
  if (traits & kNoCollection)
    return {"create", "delete", "get", "list", "patch", "update", "watch"};
  return {"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
}

// Events and autoscalers are stored once and served in two forms.
void set_storage(Resource& resource) {
  resource.storage =
      resource.group.empty() ? resource.plural : resource.group + "/" + resource.plural;
  resource.storage_version = resource.version;
  if (resource.plural == "events") resource.storage = "events", resource.storage_version = "v1";
  if (resource.plural == "horizontalpodautoscalers") resource.storage_version = "v2";
}

std::shared_ptr<const Resource::Scale> builtin_scale(const Row& row) {
  auto scale = std::make_shared<Resource::Scale>();
  scale->spec_path = ".spec.replicas";
  scale->status_path = ".status.replicas";
  scale->selector_path = row.kind == "ReplicationController" ? "" : ".status.selector";
  scale->kind = {"autoscaling", "v1", "Scale"};
  return scale;
}

ResourcePtr make_resource(const Row& row) {
  auto resource = std::make_shared<Resource>();
  resource->group = row.group;
  resource->version = row.version;
  resource->plural = row.plural;
  resource->kind = row.kind;
  resource->singular = to_lower(row.kind);
  resource->list_kind = std::string(row.kind) + "List";
  resource->short_names = list(row.short_names);
  if (row.traits & kAll) resource->categories = {"all"};
  if (row.traits & kExtensions) resource->categories = {"api-extensions"};
  resource->namespaced = !(row.traits & kCluster);
  resource->verbs = verbs(row.traits);
  resource->has_status = row.traits & kStatus;
  resource->generation = !(row.traits & kNoGeneration);
  resource->graceful_deletion = row.kind == "Pod";
  resource->unconditional_update = !among(kConditionalUpdate, row.kind);
  resource->create_on_update = among(kCreateOnUpdate, row.kind);
  resource->returns_deleted = among(kReturnsDeleted, row.kind);
  resource->orphans_by_default = row.kind == "Job" || row.kind == "ReplicationController";
  resource->other_subresources = list(row.other_subresources);
  resource->selectable_fields = list(row.fields);
  resource->stored_version_hash = row.hash;
  if (row.kind == "Endpoints")
    resource->deprecation_warning =
        "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
  if (row.traits & kScale) resource->scale = builtin_scale(row);
  set_storage(*resource);
  resource->schema = model::Kinds::builtin().schema(resource->gvk());
  resource->rules = find_rules(row.group, row.kind);
  HF_CHECK(resource->schema != nullptr);
  return resource;
}

// The order in which the real server lists its groups: first come, first in kubectl's short-name
// look-up.
constexpr std::string_view kGroupOrder[] = {"",
                                            "apps",
                                            "events.k8s.io",
                                            "authentication.k8s.io",
                                            "authorization.k8s.io",
                                            "autoscaling",
                                            "batch",
                                            "networking.k8s.io",
                                            "policy",
                                            "rbac.authorization.k8s.io",
                                            "storage.k8s.io",
                                            "admissionregistration.k8s.io",
                                            "apiextensions.k8s.io",
                                            "scheduling.k8s.io",
                                            "coordination.k8s.io",
                                            "discovery.k8s.io"};

}  // namespace

std::vector<Catalogue::Group> builtin_groups() {
  std::vector<Catalogue::Group> groups;
  for (const std::string_view name : kGroupOrder) {
    Catalogue::Group group{.name = std::string(name), .versions = {}, .custom = false};
    for (const Row& row : kRows) {
      if (row.group != name) continue;
      if (group.versions.empty() || group.versions.back().version != row.version)
        group.versions.push_back({std::string(row.version), {}});
      group.versions.back().resources.push_back(make_resource(row));
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace holdfast::apiserver
