// `snapshots`: the table of snapshots.
#include "repo/choice.h"
#include "repo/groups.h"
#include "repo/print/json_object.h"

#include <CLI/CLI.hpp>

#include <map>

namespace holdfast::cli {
namespace {

struct SnapshotsOptions {
  Choice choice{};
  std::vector<std::string> names{};
  std::string group_by{};
  size_t latest = 0;  ///< of each host and set of paths; 0 = all
  bool compact = false;
};

/// The newest of each host and paths; they come oldest first and stay so.
std::vector<repo::Snapshot> newest(std::vector<repo::Snapshot> all, size_t most) {
  std::map<std::pair<std::string, std::vector<std::string>>, size_t> seen;
  std::vector<repo::Snapshot> out;
  for (auto at = all.rbegin(); at != all.rend(); ++at)
    if (++seen[{at->host, at->paths}] <= most) out.push_back(std::move(*at));
  std::reverse(out.begin(), out.end());
  return out;
}

std::string group_json(const repo::SnapshotGroup& group, const repo::GroupBy& by) {
  JsonObject key;
  key.text("hostname", group.host);
  if (by.paths)
    key.texts("paths", group.paths);
  else
    key.raw("paths", "null");
  if (by.tags && !group.tags.empty())
    key.texts("tags", group.tags);
  else
    key.raw("tags", "null");
  return JsonObject()
      .raw("group_key", key.take())
      .raw("snapshots", snapshots_json(group.snapshots))
      .take();
}

Result<int> print_snapshots(const SnapshotsOptions& options, Session& session) {
  const std::optional<repo::GroupBy> by = HF_TRY(parse_grouping(options.group_by));
  repo::Opened* repository = HF_TRY(session.open(LockKind::Shared));
  std::vector<repo::Snapshot> snapshots =
      HF_TRY(choose(session, *repository, options.choice, options.names));
  if (options.latest > 0) snapshots = newest(std::move(snapshots), options.latest);
  Output& out = session.out();
  if (!by) {
    out.line(out.json() ? snapshots_json(snapshots) : snapshots_table(snapshots, options.compact));
    return kDone;
  }
  std::vector<std::string> groups;
  for (const repo::SnapshotGroup& one : repo::group_snapshots(snapshots, *by)) {
    if (out.json()) {
      groups.push_back(group_json(one, *by));
    } else {
      out.line(heading(one, *by));
      out.line(snapshots_table(one.snapshots, options.compact));
    }
  }
  if (out.json()) out.line(json_list(groups));
  return kDone;
}

}  // namespace

void add_snapshots(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("snapshots", "lists snapshots");
  auto options = std::make_shared<SnapshotsOptions>();
  add_choice(verb, options->choice);
  verb->add_option("ids", options->names, "only these; latest is one too");
  verb->add_option("-g,--group-by", options->group_by, "host, paths, tags");
  verb->add_option("--latest", options->latest, "the newest N of each host and paths");
  verb->add_flag("-c,--compact", options->compact, "without paths");
  verbs.run(verb, [options](Session& session) { return print_snapshots(*options, session); });
}

}  // namespace holdfast::cli
