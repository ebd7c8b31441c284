/// One function per plugin, named as the real server's. Each looks at what concerns it and leaves
/// the rest alone.
#pragma once

#include "admission/admission.h"

namespace holdfast::apiserver {

/// Creates need a namespace that is there and not going; some namespaces never go.
Answer<void> namespace_lifecycle(Api& api, const Admission& admission);
/// Gives a pod its ServiceAccount, the account's pull secrets and the volume with its token.
Answer<void> service_account(Api& api, const Admission& admission);
/// A new node is tainted as not ready.
Answer<void> taint_nodes_by_condition(Api& api, const Admission& admission);
/// Not-ready and unreachable nodes are tolerated for five minutes unless the pod says otherwise.
Answer<void> default_toleration_seconds(Api& api, const Admission& admission);
/// priorityClassName to priority and preemptionPolicy; one global default at most.
Answer<void> priority(Api& api, const Admission& admission);
/// A claim that names no class gets the default one.
Answer<void> default_storage_class(Api& api, const Admission& admission);
/// Claims and volumes in use are kept by a finalizer.
Answer<void> storage_object_in_use_protection(Api& api, const Admission& admission);
/// Nobody gives what they do not have (RBAC's escalate and bind).
Answer<void> rbac_escalation(Api& api, const Admission& admission);

/// Pods as the labels of their namespace ask for them: the plugin PodSecurity.
Answer<void> pod_security_standards(Api& api, const Admission& admission);
/// Pods, and what makes pods, that reach for the machine itself, are for administrators.
Answer<void> host_access(Api& api, const Admission& admission);
/// Warns of what is kept and not acted upon. It refuses nothing.
Answer<void> not_enforced(Api& api, const Admission& admission);

/// "pods", "persistentvolumeclaims" … of the core group, main resource, on create.
bool creates_core(const Admission& admission, std::string_view plural);

}  // namespace holdfast::apiserver
