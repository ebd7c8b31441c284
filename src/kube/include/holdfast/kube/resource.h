/// Resource of a request: the group, version and plural that stand in its path. Known at compile
/// time by whoever watches it, so that no start waits for discovery.
#pragma once

#include <holdfast/model/object.h>

#include <string>
#include <string_view>

namespace holdfast::kube {

struct Resource {
  std::string_view group, version, plural, kind;
  bool namespaced = true;

  /// "v1", "apps/v1"
  std::string api_version() const;
  /// "/apis/apps/v1/namespaces/shop/deployments/web/status"; parts are percent-encoded. With ns ""
  /// the path of all namespaces, with name "" that of the collection.
  std::string path(std::string_view ns, std::string_view name,
                   std::string_view subresource = "") const;
  /// "deployments.apps", for messages.
  std::string text() const;
  bool operator==(const Resource& other) const {
    return group == other.group && version == other.version && plural == other.plural;
  }
};

inline constexpr Resource kPods{"", "v1", "pods", "Pod"};
inline constexpr Resource kServices{"", "v1", "services", "Service"};
inline constexpr Resource kEndpoints{"", "v1", "endpoints", "Endpoints"};
inline constexpr Resource kConfigMaps{"", "v1", "configmaps", "ConfigMap"};
inline constexpr Resource kSecrets{"", "v1", "secrets", "Secret"};
inline constexpr Resource kServiceAccounts{"", "v1", "serviceaccounts", "ServiceAccount"};
inline constexpr Resource kClaims{"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim"};
inline constexpr Resource kVolumes{"", "v1", "persistentvolumes", "PersistentVolume", false};
inline constexpr Resource kNamespaces{"", "v1", "namespaces", "Namespace", false};
inline constexpr Resource kNodes{"", "v1", "nodes", "Node", false};
inline constexpr Resource kCoreEvents{"", "v1", "events", "Event"};
inline constexpr Resource kEvents{"events.k8s.io", "v1", "events", "Event"};
inline constexpr Resource kReplicaSets{"apps", "v1", "replicasets", "ReplicaSet"};
inline constexpr Resource kDeployments{"apps", "v1", "deployments", "Deployment"};
inline constexpr Resource kStatefulSets{"apps", "v1", "statefulsets", "StatefulSet"};
inline constexpr Resource kDaemonSets{"apps", "v1", "daemonsets", "DaemonSet"};
inline constexpr Resource kRevisions{"apps", "v1", "controllerrevisions", "ControllerRevision"};
inline constexpr Resource kJobs{"batch", "v1", "jobs", "Job"};
inline constexpr Resource kEndpointSlices{"discovery.k8s.io", "v1", "endpointslices",
                                          "EndpointSlice"};
inline constexpr Resource kLeases{"coordination.k8s.io", "v1", "leases", "Lease"};
inline constexpr Resource kRoles{"rbac.authorization.k8s.io", "v1", "roles", "Role"};
inline constexpr Resource kRoleBindings{"rbac.authorization.k8s.io", "v1", "rolebindings",
                                        "RoleBinding"};
inline constexpr Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles",
                                        "ClusterRole", false};
inline constexpr Resource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                       "CustomResourceDefinition", false};
inline constexpr Resource kStorageClasses{"storage.k8s.io", "v1", "storageclasses", "StorageClass",
                                          false};

// Served only where somebody installed their definitions.
inline constexpr Resource kVolumeSnapshots{"snapshot.storage.k8s.io", "v1", "volumesnapshots",
                                           "VolumeSnapshot"};
inline constexpr Resource kVolumeSnapshotContents{
    "snapshot.storage.k8s.io", "v1", "volumesnapshotcontents", "VolumeSnapshotContent", false};
inline constexpr Resource kVolumeSnapshotClasses{
    "snapshot.storage.k8s.io", "v1", "volumesnapshotclasses", "VolumeSnapshotClass", false};
inline constexpr Resource kGroupSnapshots{"groupsnapshot.storage.k8s.io", "v1",
                                          "volumegroupsnapshots", "VolumeGroupSnapshot"};
inline constexpr Resource kGroupSnapshotContents{"groupsnapshot.storage.k8s.io", "v1",
                                                 "volumegroupsnapshotcontents",
                                                 "VolumeGroupSnapshotContent", false};
inline constexpr Resource kGroupSnapshotClasses{"groupsnapshot.storage.k8s.io", "v1",
                                                "volumegroupsnapshotclasses",
                                                "VolumeGroupSnapshotClass", false};

}  // namespace holdfast::kube
