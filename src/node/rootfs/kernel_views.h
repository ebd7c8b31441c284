/// Views of the kernel that a container has: /dev, /proc and /sys.
#pragma once

#include "shim/descriptors.h"

#include <filesystem>

namespace holdfast::node {

/// What a privileged container may do with them: turn the machine's knobs.
enum class Knobs { Masked, Open };

/// The devices that programs expect, terminals of its own, the pod's shared memory and queues.
Result<void> add_devices(const Fd& root, const std::filesystem::path& shared_memory);
/// Processes of this process's PID namespace, and the machine's devices, read-only. Files that tell
/// of the machine, or turn it, are masked or read-only, as runc does by default.
Result<void> add_kernel_views(const Fd& root, Knobs knobs);

}  // namespace holdfast::node
