/// Marks by which pods and namespaces say what they may reach on the machine that runs them. The
/// embedded API server's HostAccess reads them; on a cluster they mean nothing.
#pragma once

namespace holdfast::model {

/// On a pod, or in the metadata of a pod's template: it is judged by what its namespace may do,
/// whoever writes it. It can only restrict, so any value counts.
inline constexpr char kReach[] = "holdfast.dev/reach";
inline constexpr char kReachOfNamespace[] = "namespace";

/// Label of a namespace whose tenants may run the machine's own root as an image.
inline constexpr char kHostImage[] = "holdfast.dev/host-image";
inline constexpr char kHostImageAllowed[] = "allowed";

}  // namespace holdfast::model
