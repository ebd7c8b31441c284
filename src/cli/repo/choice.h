/// Choice of snapshots for a verb, and paths in one of them.
#pragma once

#include <holdfast/repo/snapshot.h>
#include <holdfast/repo/tree.h>

#include "repo/verb.h"

namespace holdfast::cli {

/// --host, --tag, --path.
struct Choice {
  std::vector<std::string> hosts{}, tags{}, paths{};
  repo::SnapshotFilter filter() const;
};
void add_choice(CLI::App* verb, Choice& choice);
/// "a,b" of --tag as a set; "" = no tags.
std::vector<std::string> tag_set(std::string_view list);

/// The ones named, or all that the filter lets through. A name that fits nothing is told and left
/// out; damaged snapshots are told.
Result<std::vector<repo::Snapshot>> choose(Session& session, repo::Opened& repository,
                                           const Choice& choice,
                                           const std::vector<std::string>& names);

/// "ID:folder" as a snapshot and the tree of that folder.
struct Place {
  repo::Snapshot snapshot{};
  std::string folder{};  ///< "" = the root
  repo::Id tree{};
};
Result<Place> find_place(repo::Indexed& index, const std::string& name, const Choice& choice);

/// The node at a path below a tree. NotFound names the part that is missing.
Result<repo::Node> find_node(repo::Indexed& index, const repo::Id& tree, std::string_view path);

/// "snapshot 2e446167 of [/srv] at TIME by root@vm"
std::string heading(const repo::Snapshot& snapshot);
std::string short_id(const repo::Id& id);
/// The snapshot's JSON with `id` and `short_id`.
std::string snapshot_json(const repo::Snapshot& snapshot);
/// "/a/b", "a//b/" → {"a", "b"}
std::vector<std::string> parts_of(std::string_view path);

}  // namespace holdfast::cli
