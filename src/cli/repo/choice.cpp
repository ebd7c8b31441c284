#include "repo/choice.h"

#include <holdfast/base/text.h>

#include "repo/print/json_object.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {

void add_choice(CLI::App* verb, Choice& choice) {
  verb->add_option("-H,--host", choice.hosts, "only snapshots of this host ($RESTIC_HOST)")
      ->allow_extra_args(false);
  verb->add_option("--tag", choice.tags, "only snapshots with all of these tags: a,b; or again")
      ->allow_extra_args(false);
  verb->add_option("--path", choice.paths, "only snapshots of this path")->allow_extra_args(false);
}

std::vector<std::string> tag_set(std::string_view list) {
  std::vector<std::string> out;
  for (const std::string_view tag : split(list, ',')) out.emplace_back(trim(tag));
  return out;
}

repo::SnapshotFilter Choice::filter() const {
  repo::SnapshotFilter out{hosts, paths, {}};
  if (out.hosts.empty() && !variable("RESTIC_HOST").empty()) out.hosts = {variable("RESTIC_HOST")};
  for (const std::string& list : tags) out.tags.push_back(tag_set(list));
  return out;
}

Result<std::vector<repo::Snapshot>> choose(Session& session, repo::Opened& repository,
                                           const Choice& choice,
                                           const std::vector<std::string>& names) {
  if (names.empty())
    return repo::list_snapshots(repository, choice.filter(),
                                [&](const repo::Id&, const Error& error) {
                                  session.out().warn("left out: " + error.what());
                                });
  std::vector<repo::Snapshot> out;
  for (const std::string& name : names) {
    Result<repo::Snapshot> found = repo::find_snapshot(repository, name, choice.filter());
    if (found)
      out.push_back(found.take());
    else if (found.error().fault() == Fault::NotFound || found.error().fault() == Fault::Invalid)
      session.out().warn("left out: " + found.error().what());
    else
      return found.take_error();
  }
  return out;
}

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> out;
  for (const std::string_view part : split(path, '/'))
    if (!part.empty() && part != ".") out.emplace_back(part);
  return out;
}

Result<repo::Node> find_node(repo::Indexed& index, const repo::Id& tree, std::string_view path) {
  repo::Node at;
  at.type = repo::NodeType::Dir;
  at.subtree = tree;
  std::string so_far;
  for (const std::string& part : parts_of(path)) {
    if (at.type != repo::NodeType::Dir || !at.subtree)
      return Error(Fault::NotFound, fmt::format("{} is no folder of the snapshot", so_far));
    so_far += "/" + part;
    std::vector<repo::Node> nodes = HF_TRY(repo::load_tree(index, *at.subtree));
    auto found = std::find_if(nodes.begin(), nodes.end(),
                              [&part](const repo::Node& node) { return node.name == part; });
    if (found == nodes.end())
      return Error(Fault::NotFound, fmt::format("{} is not in the snapshot", so_far))
          .with_hint("holdfast repo ls SNAPSHOT lists what is");
    at = std::move(*found);
  }
  return at;
}

Result<Place> find_place(repo::Indexed& index, const std::string& name, const Choice& choice) {
  const size_t colon = name.find(':');
  Place place;
  place.snapshot =
      HF_TRY(repo::find_snapshot(index.repository(), name.substr(0, colon), choice.filter()));
  place.tree = place.snapshot.tree;
  if (colon == std::string::npos) return place;
  place.folder = name.substr(colon + 1);
  const repo::Node node = HF_TRY(find_node(index, place.tree, place.folder));
  if (node.type != repo::NodeType::Dir || !node.subtree)
    return Error(Fault::Invalid, fmt::format("{} is no folder of snapshot {}", place.folder,
                                             short_id(place.snapshot.id)));
  place.tree = *node.subtree;
  return place;
}

std::string short_id(const repo::Id& id) { return id.hex().substr(0, 8); }

std::string heading(const repo::Snapshot& snapshot) {
  return harmless_line(fmt::format("snapshot {} of [{}] at {} by {}@{}", short_id(snapshot.id),
                                   join(snapshot.paths, " "), snapshot.time_text, snapshot.user,
                                   snapshot.host));
}

std::string snapshot_json(const repo::Snapshot& snapshot) {
  return JsonObject(repo::to_json(snapshot))
      .text("id", snapshot.id.hex())
      .text("short_id", short_id(snapshot.id))
      .take();
}

}  // namespace holdfast::cli
