// The walk: folders, links, and the files of the next window.
#include "restore/restorer.h"

#include "codec/go_json.h"
#include "files/input.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

/// Names come from a store that anybody may have written to: none may lead out of its folder.
bool is_safe(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string::npos;
}

}  // namespace

bool RestoreFilters::wants(const std::string& path) const {
  if (excludes.match(path) || insensitive_excludes.match(path)) return false;
  return !has_includes() || includes.match(path) || insensitive_includes.match(path);
}

bool RestoreFilters::wants_below(const std::string& folder) const {
  if (excludes.match(folder) || insensitive_excludes.match(folder)) return false;
  return !has_includes() || includes.match(folder) || insensitive_includes.match(folder) ||
         includes.match_below(folder) || insensitive_includes.match_below(folder);
}

Restorer::Restorer(IndexedRepository& index, const RestoreOptions& options, RestoreFilters filters,
                   std::stop_token stop)
    : index_(index),
      options_(options),
      filters_(std::move(filters)),
      ownership_{options.ownership, options.extended_attributes, options.owner},
      stop_(std::move(stop)),
      crew_(options.threads) {}

Result<void> Restorer::restore(const Id& tree) {
  const std::string target = options_.target == "/" ? "" : options_.target;
  HF_TRY(visit(tree, "", target, false));
  HF_TRY(run_window());
  make_links();
  if (options_.dry_run || stop_.stop_requested()) return ok();
  return describe_folders(tree, "", target);
}

Result<std::vector<Node>> Restorer::read_tree(const Id& tree, const std::string& inside) {
  const auto context = [&](Error error) {
    return std::move(error).with_context(
        fmt::format("read folder {}", inside.empty() ? "/" : inside));
  };
  Result<std::string> json = index_.read(BlobType::Tree, tree);
  if (!json) return context(json.take_error());
  Result<std::vector<Node>> nodes = parse_tree(*json);
  if (!nodes) return context(nodes.take_error());
  return nodes;
}

Result<void> Restorer::visit(const Id& tree, const std::string& inside, const std::string& target,
                             bool fresh) {
  Result<std::vector<Node>> nodes = read_tree(tree, inside);
  if (!nodes && nodes.error().fault() != Fault::Corrupt && nodes.error().fault() != Fault::NotFound)
    return nodes.take_error();
  if (!nodes) {
    report(target, nodes.error());
    return ok();
  }
  if (options_.delete_extra && !fresh) HF_TRY(delete_extra(*nodes, inside, target));
  for (Node& node : *nodes) {
    if (stop_.stop_requested()) return Error(Fault::Unavailable, "the restore was interrupted");
    if (!is_safe(node.name)) {
      report(target, Error(Fault::Corrupt, fmt::format("the name \"{}\" leads out of its folder",
                                                       go_quoted(node.name))));
      continue;
    }
    HF_TRY(visit_node(node, inside + "/" + node.name, target + "/" + node.name, fresh));
  }
  return ok();
}

Result<void> Restorer::visit_node(Node& node, const std::string& inside, const std::string& target,
                                  bool fresh) {
  if (node.type == NodeType::Dir) return visit_folder(node, inside, target, fresh);
  if (!filters_.wants(inside)) return ok();
  Result<bool> made = make_folders();
  if (!made) {
    report(target, made.error());
    return ok();
  }
  if (node.links > 1 && node.type == NodeType::File) {
    const auto [first, is_first] = linked_.try_emplace({node.device_id, node.inode}, target);
    if (!is_first) {
      links_.emplace_back(first->second, target);
      return ok();
    }
  }
  if (node.type == NodeType::File) {
    add_file(node, target, fresh);
    if (window_.full()) return run_window();
    return ok();
  }
  const bool left = options_.overwrite == RestoreOptions::Overwrite::Never && is_there(target);
  if (left) return ok();
  const Result<void> special = options_.dry_run ? ok() : make_special(target, node, ownership_);
  if (special)
    count_whole(target);
  else
    report(target, special.error());
  return ok();
}

void Restorer::count_whole(const std::string& target) {
  ++figures_.files_total;
  ++figures_.files_done;
  ++figures_.files_restored;
  tell(Restoring::Restored, target, 0);
}

void Restorer::tell(Restoring what, const std::string& target, uint64_t size) {
  if (!options_.item) return;
  const bool inside = options_.target != "/" && target.starts_with(options_.target);
  const Lock lock(telling_);
  options_.item(what, inside ? target.substr(options_.target.size()) : target, size);
}

Result<void> Restorer::visit_folder(const Node& node, const std::string& inside,
                                    const std::string& target, bool fresh) {
  if (!filters_.wants_below(inside)) return ok();
  if (!node.subtree) {
    report(target, Error(Fault::Corrupt, "a folder without a tree"));
    return ok();
  }
  if (filters_.wants(inside)) {
    const bool image = HF_TRY(visit_image(node, target, fresh));
    if (image) return ok();
  }
  unmade_.push_back(target);
  bool made = fresh;
  if (filters_.wants(inside)) {
    const Result<bool> now = make_folders();
    if (!now) {
      report(target, now.error());
      return ok();
    }
    made = *now;
    count_whole(target + "/");
  }
  HF_TRY(visit(*node.subtree, inside, target, made));
  if (!unmade_.empty() && unmade_.back() == target) unmade_.pop_back();
  return ok();
}

Result<bool> Restorer::make_folders() {
  bool made = false;
  const std::vector<std::string> folders = std::exchange(unmade_, {});
  for (const std::string& folder : folders) {
    if (options_.dry_run) {
      made = !is_there(folder);
      continue;
    }
    made = HF_TRY(make_output_folder(folder));
  }
  return made;
}

void Restorer::add_file(Node& node, std::string path, bool fresh) {
  auto file = std::make_unique<RestoredFile>();
  file->path = std::move(path);
  file->may_exist = !fresh;
  file->first_piece = window_.pieces.size();
  ++figures_.files_total;
  figures_.bytes_total += node.size;
  if (!add_pieces(node, *file, uint32_t(window_.files.size()))) {
    window_.pieces.resize(file->first_piece);
    return;
  }
  file->pieces = window_.pieces.size() - file->first_piece;
  file->pending = uint32_t(file->pieces);
  node.content.reset();
  file->node = std::move(node);
  window_.bytes += file->node.size;
  window_.files.push_back(std::move(file));
}

std::optional<uint64_t> Restorer::add_pieces(const Node& node, RestoredFile& file,
                                             uint32_t number) {
  uint64_t at = 0;
  for (const Id& id : node.content ? *node.content : std::vector<Id>()) {
    const std::optional<Location> where = index_.find(BlobType::Data, id);
    if (!where) {
      report(file.path, Error(Fault::Corrupt, fmt::format("blob {} is in no index", id.hex())));
      return {};
    }
    if (window_.packs.empty() || window_.packs.back() != where->pack)
      window_.packs.push_back(where->pack);
    window_.pieces.push_back({id, uint32_t(window_.packs.size() - 1), where->offset, where->length,
                              where->plain_length, number, file.base + at});
    at += where->plain_length != 0 ? where->plain_length : where->length - kSealOverhead;
  }
  return at;
}

Result<void> Restorer::delete_extra(const std::vector<Node>& nodes, const std::string& inside,
                                    const std::string& target) {
  if (!is_there(target)) return ok();
  Result<std::vector<Entry>> entries = list_folder(target.empty() ? "/" : target);
  if (!entries) {
    report(target, entries.error());
    return ok();
  }
  for (const Entry& entry : *entries) {
    const auto found = std::lower_bound(
        nodes.begin(), nodes.end(), entry.name,
        [](const Node& node, const std::string& name) { return node.name < name; });
    if (found != nodes.end() && found->name == entry.name) continue;
    if (!filters_.wants(inside + "/" + entry.name)) continue;
    const std::string path = target + "/" + entry.name;
    const Result<uint64_t> gone = options_.dry_run ? Result<uint64_t>(1) : remove_all(path);
    if (!gone) {
      report(path, gone.error());
      continue;
    }
    figures_.files_deleted += *gone;
    tell(Restoring::Deleted, path, 0);
  }
  return ok();
}

Result<void> Restorer::describe_folders(const Id& tree, const std::string& inside,
                                        const std::string& target) {
  Result<std::vector<Node>> nodes = read_tree(tree, inside);
  if (!nodes) return ok();  // told by the first walk
  for (const Node& node : *nodes) {
    const std::string path = inside + "/" + node.name, place = target + "/" + node.name;
    if (node.type != NodeType::Dir || !node.subtree || !is_safe(node.name)) continue;
    if (!filters_.wants_below(path) || !is_there(place) || joined_.contains(place)) continue;
    HF_TRY(describe_folders(*node.subtree, path, place));
    if (const Result<void> described = describe_path(place, node, ownership_); !described)
      report(place, described.error());
  }
  return ok();
}

void Restorer::make_links() {
  for (const auto& [existing, path] : links_) {
    const Result<void> made = options_.dry_run ? ok() : make_hard_link(existing, path);
    if (made)
      count_whole(path);
    else
      report(path, made.error());
  }
}

void Restorer::report(const std::string& path, const Error& error) {
  const Lock lock(mutex_);
  errors_.push_back(error.what().find(path) == std::string::npos
                        ? fmt::format("{}: {}", path, error.what())
                        : error.what());
}

uint64_t Restorer::errors() const {
  const Lock lock(mutex_);
  return errors_.size();
}

std::vector<std::string> Restorer::take_errors() {
  const Lock lock(mutex_);
  return std::exchange(errors_, {});
}

}  // namespace holdfast::repo
