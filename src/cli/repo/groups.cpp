#include "repo/groups.h"

#include <holdfast/base/text.h>
#include <holdfast/cli/words.h>

#include "repo/choice.h"
#include "repo/print/json_object.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {

Result<std::optional<repo::GroupBy>> parse_grouping(const std::string& text) {
  if (text.empty()) return std::optional<repo::GroupBy>();
  repo::GroupBy by = HF_TRY(repo::parse_group_by(text));
  return std::optional(by);
}

std::string heading(const repo::SnapshotGroup& group, const repo::GroupBy& by) {
  std::vector<std::string> parts;
  if (by.host) parts.push_back(fmt::format("host [{}]", group.host));
  if (by.tags) parts.push_back(fmt::format("tags [{}]", join(group.tags, ", ")));
  if (by.paths) parts.push_back(fmt::format("paths [{}]", join(group.paths, ", ")));
  return harmless_line(fmt::format("snapshots for ({}):", join(parts, ", ")));
}

std::string snapshots_json(const std::vector<repo::Snapshot>& snapshots) {
  std::vector<std::string> items;
  items.reserve(snapshots.size());
  for (const repo::Snapshot& one : snapshots) items.push_back(snapshot_json(one));
  return json_list(items);
}

std::string snapshots_table(const std::vector<repo::Snapshot>& snapshots, bool compact,
                            const std::function<std::vector<std::string>(size_t)>& reasons) {
  const bool sizes = std::any_of(snapshots.begin(), snapshots.end(),
                                 [](const repo::Snapshot& one) { return one.summary.has_value(); });
  std::vector<std::string> headings{"ID", "Time", "Host", "Tags"};
  if (reasons) headings.emplace_back("Reasons");
  if (!compact) headings.emplace_back("Paths");
  if (sizes) headings.emplace_back("Size");
  Table table(std::move(headings));
  for (size_t i = 0; i < snapshots.size(); ++i) {
    const repo::Snapshot& one = snapshots[i];
    std::vector<std::vector<std::string>> cells{
        {short_id(one.id)}, {local_time(one.time)}, {one.host}};
    cells.push_back(compact ? one.tags : std::vector<std::string>{join(one.tags, ",")});
    if (reasons) cells.push_back(reasons(i));
    if (!compact) cells.push_back(one.paths);
    if (sizes) cells.push_back({one.summary ? size_text(one.summary->total_bytes_processed) : ""});
    table.row(std::move(cells));
  }
  return table.text(fmt::format("{} snapshots", snapshots.size()));
}

}  // namespace holdfast::cli
