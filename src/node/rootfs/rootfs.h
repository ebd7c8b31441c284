/// The root of a container, put together in the process that is to become it:
///
///   /       the image, with a layer of the container's own for what it writes
///   /dev    devices that programs expect, made before anything of a tenant's is mounted
///   /proc   of the container's processes, /sys of the machine: read-only, what is secret masked
///   …       the pod's volumes, in the order of their list
///
/// Everything goes by descriptor: sources are open before the first mount, each target is found in
/// the tree as it is by then, and no process can put a link between the look and the mount.
#pragma once

#include "shim/launch.h"

namespace holdfast::node {

/// Afterwards this process has a mount namespace of its own in which nothing but that root is.
Result<void> enter_root(const PodPlace& place, const ContainerSpec& spec);

}  // namespace holdfast::node
