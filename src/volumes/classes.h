/// The classes that this room brings along.
#pragma once

#include <holdfast/kube/client.h>

#include "known.h"

namespace holdfast::volumes {

/// Makes them if they are not there, and says on the StorageClass what this machine does:
///
///   metadata.annotations:
///     NODE.volumes.holdfast.dev/provider: "btrfs: a snapshot, of one volume or …"
///     NODE.volumes.holdfast.dev/trouble: "pool … cannot grow …"     only while there is any
Result<void> install_classes(kube::Client& client, const Local& local);

/// Trouble of one node, or "" to take the word back; with an event if it is a warning.
Result<void> tell_on_class(kube::Client& client, std::string_view node, const std::string& trouble,
                           bool warn);

}  // namespace holdfast::volumes
