/// Groups and lists of snapshots for people.
#pragma once

#include <holdfast/repo/forget.h>

#include "repo/print/table.h"

#include <functional>

namespace holdfast::cli {

/// "" = no grouping.
Result<std::optional<repo::GroupBy>> parse_grouping(const std::string& text);
/// "snapshots for (host [vm], paths [/srv]):"
std::string heading(const repo::SnapshotGroup& group, const repo::GroupBy& by);
/// "[…]" of snapshots with their ids.
std::string snapshots_json(const std::vector<repo::Snapshot>& snapshots);

/// The table of snapshots; `reasons` adds a column.
std::string snapshots_table(const std::vector<repo::Snapshot>& snapshots, bool compact,
                            const std::function<std::vector<std::string>(size_t)>& reasons = {});

}  // namespace holdfast::cli
