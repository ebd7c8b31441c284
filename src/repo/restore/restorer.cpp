// The walk: folders, links, and the files of the next window.
#include "restore/restorer.h"

#include <holdfast/base/walls.h>

#include "codec/go_json.h"
#include "files/input.h"
#include "files/special.h"
#include "restore/safe_name.h"
#include "trees/damage.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

/// Of what is left out.
constexpr size_t kMostNamed = 10;

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
      special_(options.special || !wall_stands("special files")),
      crew_(options.threads) {}

Result<void> Restorer::restore(const Id& tree) {
  HF_TRY(walk(tree));
  HF_TRY(run_window());
  make_links();
  HF_TRY(go_on());
  return options_.dry_run ? ok() : describe_folders(tree);
}

Result<void> Restorer::go_on() const {
  if (disk_.full())
    return Error(Fault::Invalid, fmt::format("{}; {} files and folders with {} bytes were restored",
                                             disk_.trouble(), figures_.files_restored.load(),
                                             figures_.bytes_restored.load()))
        .with_hint("make room and restore again: what is there is compared, not written anew");
  if (stop_.stop_requested()) return Error(Fault::Unavailable, "the restore was interrupted");
  return ok();
}

Result<void> Restorer::walk(const Id& root) {
  bound_.emplace(index_, root);
  target_ = top();
  HF_TRY(enter(root, false, true));
  while (!way_.empty()) {
    HF_TRY(go_on());
    RestoreLevel& level = way_.back();
    inside_.resize(level.inside_size);
    target_.resize(level.target_size);
    if (level.next == level.nodes.size()) {
      leave();
      continue;
    }
    Node& node = level.nodes[level.next++];
    if (!is_safe(node.name)) {
      report(target_, Error(Fault::Corrupt, fmt::format("the name \"{}\" leads out of its folder",
                                                        go_quoted(node.name))));
      continue;
    }
    inside_ += "/" + node.name;
    target_ += "/" + node.name;
    HF_TRY(visit_node(node, level.fresh));
  }
  return ok();
}

Result<void> Restorer::enter(const Id& tree, bool fresh, bool made) {
  if (way_.size() >= kDeepest && wall_stands("depth of folders")) {
    report(target_, nested_too_deeply());
    return ok();
  }
  HF_TRY(bound_->enter());
  Result<std::vector<Node>> nodes = load_tree(index_, tree);
  if (!nodes) {
    Error error = nodes.take_error().with_context(
        fmt::format("read folder {}", inside_.empty() ? "/" : inside_));
    if (!is_damage(error)) return error;
    report(target_, error);
    return ok();
  }
  if (options_.delete_extra && !fresh) HF_TRY(delete_extra(*nodes));
  way_.push_back({.nodes = nodes.take(),
                  .inside_size = inside_.size(),
                  .target_size = target_.size(),
                  .fresh = fresh});
  if (made) made_ = way_.size();
  return ok();
}

void Restorer::leave() {
  way_.pop_back();
  made_ = std::min(made_, way_.size());
}

Result<void> Restorer::visit_node(Node& node, bool fresh) {
  if (node.type == NodeType::Dir) return visit_folder(node, fresh);
  if (!filters_.wants(inside_)) return ok();
  ++figures_.chosen;
  if (const Result<void> made = make_folders(); !made) {
    report(target_, made.error());
    return ok();
  }
  if (node.type != NodeType::File) {
    visit_special(node);
    return ok();
  }
  if (node.links > 1) {
    const auto [first, is_first] = linked_.try_emplace({node.device_id, node.inode}, target_);
    if (!is_first) {
      links_.emplace_back(first->second, target_);
      return ok();
    }
  }
  add_file(node, target_, fresh);
  return window_.full() ? run_window() : ok();
}

/// What is no file and no folder.
void Restorer::visit_special(Node& node) {
  const bool left = options_.overwrite == RestoreOptions::Overwrite::Never && is_there(target_);
  if (left) return;
  const std::string lacks = take_special(node);
  if (!lacks.empty()) leave_out(target_, lacks);
  if (is_device(node) && !special_) return;
  const Result<void> made =
      options_.dry_run ? ok() : make_special(disk_, target_, node, ownership_);
  if (made)
    count_whole(target_);
  else
    report(target_, made.error());
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

Result<void> Restorer::visit_folder(Node& node, bool fresh) {
  if (!filters_.wants_below(inside_)) return ok();
  if (!node.subtree) {
    report(target_, Error(Fault::Corrupt, "a folder without a tree"));
    return ok();
  }
  if (!filters_.wants(inside_)) return enter(Id(*node.subtree), fresh, false);
  ++figures_.chosen;
  const bool image = HF_TRY(visit_image(node, target_, fresh));
  if (image) return ok();
  const Result<void> above = make_folders();
  const Result<bool> made = above ? make_folder(target_) : Result<bool>(above.error().copy());
  if (!made) {
    report(target_, made.error());
    return ok();
  }
  count_whole(target_ + "/");
  if (const std::string lacks = take_special(node); !lacks.empty()) leave_out(target_, lacks);
  return enter(Id(*node.subtree), *made, true);
}

Result<void> Restorer::make_folders() {
  for (; made_ < way_.size(); ++made_) {
    const std::string folder = target_.substr(0, way_[made_].target_size);
    HF_TRY(make_folder(folder));
    if (!options_.dry_run) led_to_.insert(folder);
  }
  return ok();
}

Result<bool> Restorer::make_folder(const std::string& path) {
  if (options_.dry_run) return !is_there(path);
  return make_output_folder(disk_, path);
}

void Restorer::add_file(Node& node, std::string path, bool fresh) {
  auto file = std::make_unique<RestoredFile>();
  file->path = std::move(path);
  file->may_exist = !fresh;
  file->first_piece = window_.pieces.size();
  ++figures_.files_total;
  const std::optional<uint64_t> covered = add_pieces(node, *file, uint32_t(window_.files.size()));
  if (!covered) {
    window_.pieces.resize(file->first_piece);
    return;
  }
  // What it holds is restored; a size that says otherwise would hide how much that is.
  if (*covered != node.size && wall_stands("size of a file"))
    report(file->path, Error(Fault::Corrupt, fmt::format("its blobs are {} bytes, {} were stored",
                                                         *covered, node.size)));
  node.size = *covered;
  figures_.bytes_total += node.size;
  file->pieces = window_.pieces.size() - file->first_piece;
  file->pending = uint32_t(file->pieces);
  file->left_out = take_special(node);
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

Result<void> Restorer::delete_extra(const std::vector<Node>& nodes) {
  // Not what a link leads to: that is no part of the target.
  const std::string folder = target_.empty() ? "/" : target_;
  const bool follow = inside_.empty() || !wall_stands("links in a target");
  const Result<struct stat> there = follow ? stat_behind(folder) : stat_of(folder);
  if (!there || !S_ISDIR(there->st_mode)) return ok();
  Result<std::vector<Entry>> entries = list_folder(folder);
  if (!entries) {
    report(target_, entries.error());
    return ok();
  }
  for (const Entry& entry : *entries) {
    const auto found = std::lower_bound(
        nodes.begin(), nodes.end(), entry.name,
        [](const Node& node, const std::string& name) { return node.name < name; });
    if (found != nodes.end() && found->name == entry.name) continue;
    if (!filters_.wants(inside_ + "/" + entry.name)) continue;
    const std::string path = target_ + "/" + entry.name;
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

void Restorer::make_links() {
  for (const auto& [existing, path] : links_) {
    if (over()) return;
    const Result<void> made = options_.dry_run ? ok() : make_hard_link(disk_, existing, path);
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

void Restorer::tell_troubles(RestoreResult& result) {
  const Lock lock(mutex_);
  result.left_out = left_out_;
  result.left_out_first = std::exchange(left_out_first_, {});
  result.errors = std::exchange(errors_, {});
}

std::string Restorer::take_special(Node& node) const {
  if (special_) return "";
  std::string parts = special_parts(node);
  if (!parts.empty()) take_special_parts(node);
  return parts;
}

void Restorer::leave_out(const std::string& target, const std::string& what) {
  const Lock lock(mutex_);
  ++left_out_;
  if (left_out_first_.size() < kMostNamed)
    left_out_first_.push_back(fmt::format("{}: {}", target, what));
}

}  // namespace holdfast::repo
