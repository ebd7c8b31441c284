/// The writes of the snapshots' controller, one function per step.
#pragma once

#include <holdfast/control/write.h>

#include "snapshots/objects.h"
#include "storage.h"

#include <optional>

namespace holdfast::volumes::snapshots {

control::Write set_class(const Snapshot& snapshot, std::string_view name);
control::Write create_content(const Snapshot& snapshot, const Volume& volume,
                              const SnapshotClass& by);
control::Write bind_content(const Content& content, const Snapshot& snapshot);
/// What the content tells, in the snapshot's status; nothing if it stands there already.
std::optional<control::Write> report(const Snapshot& snapshot, const Content& content,
                                     WallTime now);
/// The mark on the content that its snapshot goes.
control::Write announce_end(const Content& content);

}  // namespace holdfast::volumes::snapshots
