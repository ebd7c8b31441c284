/// The classes that this room brings along.
#pragma once

#include <holdfast/kube/client.h>

#include "known.h"

namespace holdfast::volumes {

/// Makes them if they are not there, and says on the StorageClass what this machine does:
///
///   metadata.annotations:
///     NODE.volumes.holdfast.dev/provider: "btrfs: snapshots are …"
Result<void> install_classes(kube::Client& client, const Local& local);

}  // namespace holdfast::volumes
