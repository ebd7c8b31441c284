// `find`: files by pattern, and the snapshots that a blob or tree belongs to.
#include <holdfast/cli/words.h>
#include <holdfast/repo/patterns.h>

#include "repo/choice.h"
#include "repo/look/node_text.h"
#include "repo/print/json_object.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

struct FindOptions {
  Choice choice{};
  std::vector<std::string> patterns{}, snapshots{};
  std::string oldest{}, newest{};
  bool ignore_case = false, long_lines = false, human = false, blobs = false, trees = false;
};

struct Search {
  Session& session;
  const FindOptions& options;
  repo::Indexed& index;
  repo::Patterns patterns{};
  std::optional<WallTime> oldest{}, newest{};
  std::vector<std::string> found{};    ///< JSON, of all snapshots
  std::vector<std::string> matches{};  ///< of one snapshot
  bool damaged = false;

  bool in_time(const repo::Node& node) const {
    const WallTime time(
        std::chrono::microseconds(node.mtime.seconds * 1'000'000 + node.mtime.nanoseconds / 1000));
    return !(oldest && time < *oldest) && !(newest && time > *newest);
  }
  bool named(const repo::Id& id) const {
    return std::any_of(options.patterns.begin(), options.patterns.end(),
                       [&id](const std::string& begin) { return id.hex().starts_with(begin); });
  }
  void note_file(const std::string& path, const repo::Node& node);
  void note_object(std::string_view type, const repo::Id& id, const std::string& path,
                   const repo::Snapshot& snapshot);
  Result<repo::Step> visit(const std::string& path, const repo::Node& node,
                           const repo::Snapshot& snapshot);
  Result<void> look_in(const repo::Snapshot& snapshot);
  void end_of(const repo::Snapshot& snapshot);
};

void Search::note_file(const std::string& path, const repo::Node& node) {
  Output& out = session.out();
  if (out.json())
    matches.push_back(match_json(path, node));
  else if (options.long_lines)
    matches.push_back(long_line(out.shown(path), out.shown(node.link_target), node, options.human));
  else
    matches.push_back(out.shown(path));
}

void Search::note_object(std::string_view type, const repo::Id& id, const std::string& path,
                         const repo::Snapshot& snapshot) {
  Output& out = session.out();
  if (out.json())
    found.push_back(JsonObject()
                        .text("object_type", type)
                        .text("id", id.hex())
                        .text("path", path)
                        .text("snapshot", snapshot.id.hex())
                        .text("time", snapshot.time_text)
                        .take());
  else
    out.line(fmt::format("Found {} {}\n ... in {}\n ... in snapshot {} ({})", type, id.hex(),
                         out.shown(path), short_id(snapshot.id), local_time(snapshot.time)));
}

Result<repo::Step> Search::visit(const std::string& path, const repo::Node& node,
                                 const repo::Snapshot& snapshot) {
  if (session.stop().stop_requested() || session.out().closed())
    return Error(Fault::Unavailable, "find: stopped");
  if (options.blobs && node.content)
    for (const repo::Id& id : *node.content)
      if (named(id)) note_object("blob", id, path, snapshot);
  if (options.trees && node.subtree && named(*node.subtree))
    note_object("tree", *node.subtree, path, snapshot);
  if (options.blobs || options.trees) return repo::Step::Inside;
  if (patterns.match(path) && in_time(node)) note_file(path, node);
  return patterns.match_below(path) ? repo::Step::Inside : repo::Step::Past;
}

void Search::end_of(const repo::Snapshot& snapshot) {
  if (matches.empty()) return;
  Output& out = session.out();
  if (out.json()) {
    found.push_back(JsonObject()
                        .raw("matches", json_list(matches))
                        .number("hits", matches.size())
                        .text("snapshot", snapshot.id.hex())
                        .take());
  } else {
    out.remark(fmt::format("Found matching entries in snapshot {} from {}", short_id(snapshot.id),
                           local_time(snapshot.time)));
    for (const std::string& match : matches) out.line(match);
    out.remark("");
  }
  matches.clear();
}

Result<void> Search::look_in(const repo::Snapshot& snapshot) {
  if (options.trees && named(snapshot.tree)) note_object("tree", snapshot.tree, "/", snapshot);
  Result<void> walked = repo::walk(
      index, snapshot.tree,
      [&](const std::string& path, const repo::Node& node) {
        return visit("/" + path, node, snapshot);
      },
      [&](const std::string& path, const Error& error) {
        session.out().warn(fmt::format("{}:/{}: {}", short_id(snapshot.id), path, error.what()));
        damaged = true;
      });
  if (!walked) return walked.take_error();
  end_of(snapshot);
  return ok();
}

Result<int> find(const FindOptions& options, Session& session) {
  repo::Patterns patterns = HF_TRY(repo::Patterns::parse(options.patterns, options.ignore_case));
  std::optional<WallTime> oldest, newest;
  if (!options.oldest.empty()) oldest = HF_TRY(parse_local_time("--oldest", options.oldest));
  if (!options.newest.empty()) newest = HF_TRY(parse_local_time("--newest", options.newest));
  repo::Indexed* index = HF_TRY(session.open_index(LockKind::Shared));
  std::vector<repo::Snapshot> snapshots =
      HF_TRY(choose(session, index->repository(), options.choice, options.snapshots));
  std::stable_sort(
      snapshots.begin(), snapshots.end(),
      [](const repo::Snapshot& a, const repo::Snapshot& b) { return a.time > b.time; });
  Search search{session, options, *index, std::move(patterns), oldest, newest};
  for (const repo::Snapshot& snapshot : snapshots) HF_TRY(search.look_in(snapshot));
  if (session.out().json()) session.out().line(json_list(search.found));
  return search.damaged ? kFailed : kDone;
}

}  // namespace

void add_find(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("find", "searches snapshots for files, blobs or trees");
  auto options = std::make_shared<FindOptions>();
  add_choice(verb, options->choice);
  verb->add_option("patterns", options->patterns, "names, paths with * and **; or ids")->required();
  verb->add_option("-s,--snapshot", options->snapshots, "only in these")->allow_extra_args(false);
  verb->add_option("-O,--oldest", options->oldest, "changed then or later: 2006-01-02");
  verb->add_option("-N,--newest", options->newest, "changed then or before");
  verb->add_flag("-i,--ignore-case", options->ignore_case, "whatever the case of letters");
  verb->add_flag("-l,--long", options->long_lines, "with mode, owner, size and time");
  verb->add_flag("--human-readable", options->human, "sizes in KiB, MiB, …");
  verb->add_flag("--blob", options->blobs, "the patterns are ids of blobs");
  verb->add_flag("--tree", options->trees, "the patterns are ids of trees");
  verbs.run(verb, [options](Session& session) { return find(*options, session); });
}

}  // namespace holdfast::cli
