/// The classes that this room brings along.
#pragma once

#include <holdfast/kube/client.h>

#include "known.h"

namespace holdfast::volumes {

/// Makes the kinds of snapshots and the classes if they are not there, and says on the
/// StorageClass what this machine does:
///
///   metadata.annotations:
///     NODE.volumes.holdfast.dev/provider: "btrfs: a snapshot, of one volume or …"
///     NODE.volumes.holdfast.dev/trouble: "pool … cannot grow …"     only while there is any
/// Returns the kinds of groups in the version that the server has.
Result<kube::GroupKinds> install_classes(kube::Client& client, const Local& local);

/// Trouble of one node, with an event of that reason, or "" to take the word back.
Result<void> tell_on_class(kube::Client& client, std::string_view node, const std::string& trouble,
                           std::string_view reason = "VolumesTrouble");

/// A snapshot-controller of others, by its leader's Lease or its Deployment: "Deployment
/// kube-system/snapshot-controller". "" if there is none.
Result<std::string> find_snapshot_controller(kube::Client& client);

}  // namespace holdfast::volumes
