/// Labels, annotations and finalizers of storage objects that other programs (kubelet, schedulers,
/// backup tools) look for.
#pragma once

#include <holdfast/kube/resource.h>

#include <string_view>

namespace holdfast::volumes {

inline constexpr std::string_view kDriver = "volumes.holdfast.dev";
inline constexpr std::string_view kClassName = "holdfast-local";
inline constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";
inline constexpr std::string_view kSnapshotGroup = kube::kVolumeSnapshots.group;
inline constexpr std::string_view kDefaultSnapshotClass =
    "snapshot.storage.kubernetes.io/is-default-class";
/// On contents: their snapshot goes, by its own deletion and not by an accident.
inline constexpr std::string_view kBeingDeleted =
    "snapshot.storage.kubernetes.io/volumesnapshot-being-deleted";
inline constexpr std::string_view kSnapshotBound =
    "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection";
inline constexpr std::string_view kSnapshotSource =
    "snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection";
inline constexpr std::string_view kContentBound =
    "snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection";
/// On claims, while a snapshot of them is being cut.
inline constexpr std::string_view kClaimSource =
    "snapshot.storage.kubernetes.io/pvc-as-source-protection";

inline constexpr std::string_view kGroupSnapshotGroup = kube::kGroupSnapshots.group;
inline constexpr std::string_view kDefaultGroupClass =
    "groupsnapshot.storage.kubernetes.io/is-default-class";
inline constexpr std::string_view kGroupBeingDeleted =
    "groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-being-deleted";
inline constexpr std::string_view kGroupBound =
    "groupsnapshot.storage.kubernetes.io/volumegroupsnapshot-bound-protection";
inline constexpr std::string_view kGroupContentBound =
    "groupsnapshot.storage.kubernetes.io/volumegroupsnapshotcontent-bound-protection";

/// The binding of a claim is complete: from here on, a missing volume is a lost one.
inline constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
/// The controller chose the partner, not a person; so the controller may take it back.
inline constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";
inline constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";
/// On claims: who is asked to make a volume.
inline constexpr std::string_view kProvisioner = "volume.kubernetes.io/storage-provisioner";
inline constexpr std::string_view kProvisionerBeta =
    "volume.beta.kubernetes.io/storage-provisioner";
/// On claims: where the scheduler will run the first pod that uses it.
inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
inline constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";
/// The label of a node that a local volume is tied to.
inline constexpr std::string_view kHostname = "kubernetes.io/hostname";
/// On volumes: they go only after what they stand for is gone.
inline constexpr std::string_view kVolumeFinalizer =
    "external-provisioner.volume.kubernetes.io/finalizer";
/// On volumes: which provider made them.
inline constexpr std::string_view kProviderAnnotation = "volumes.holdfast.dev/provider";
inline constexpr std::string_view kTroubleAnnotation = "volumes.holdfast.dev/trouble";

}  // namespace holdfast::volumes
