/// The list of all kinds that have rules. A group of files exports its own; this is the only place
/// that knows them all.
#include "kinds/rules.h"

#include "crd/definition.h"
#include "kinds/apps/apps.h"
#include "kinds/batch/batch.h"
#include "kinds/core/core.h"
#include "kinds/hooks/hooks.h"
#include "kinds/network/network.h"
#include "kinds/pod/rules.h"
#include "kinds/policy/policy.h"
#include "kinds/rbac/rbac.h"
#include "kinds/storage/storage.h"

namespace holdfast::apiserver {

namespace {

constexpr const KindRules* kRules[] = {
    &pod::kPod,
    &pod::kPodTemplate,
    &apps::kReplicationController,
    &apps::kDeployment,
    &apps::kReplicaSet,
    &apps::kStatefulSet,
    &apps::kDaemonSet,
    &apps::kControllerRevision,
    &batch::kJob,
    &batch::kCronJob,
    &core::kNamespace,
    &core::kService,
    &core::kConfigMap,
    &core::kSecret,
    &core::kServiceAccount,
    &core::kPersistentVolumeClaim,
    &core::kPersistentVolume,
    &core::kNode,
    &core::kEvent,
    &core::kNewEvent,
    &core::kEndpoints,
    &core::kLimitRange,
    &core::kResourceQuota,
    &rbac::kRole,
    &rbac::kClusterRole,
    &rbac::kRoleBinding,
    &rbac::kClusterRoleBinding,
    &storage::kStorageClass,
    &storage::kVolumeAttributesClass,
    &storage::kCsiDriver,
    &storage::kCsiNode,
    &storage::kCsiStorageCapacity,
    &storage::kVolumeAttachment,
    &policy::kPodDisruptionBudget,
    &policy::kPriorityClass,
    &policy::kLease,
    &network::kIngress,
    &network::kIngressClass,
    &network::kNetworkPolicy,
    &network::kIpAddress,
    &network::kServiceCidr,
    &network::kEndpointSlice,
    &network::kHorizontalPodAutoscaler,
    &hooks::kValidatingWebhooks,
    &hooks::kMutatingWebhooks,
    &hooks::kValidatingPolicy,
    &hooks::kValidatingPolicyBinding,
};

}  // namespace

const KindRules* find_rules(std::string_view group, std::string_view kind) {
  const KindRules& definitions = definition_rules();
  if (definitions.group == group && definitions.kind == kind) return &definitions;
  for (const KindRules* rules : kRules)
    if (rules->group == group && rules->kind == kind) return rules;
  return nullptr;
}

}  // namespace holdfast::apiserver
