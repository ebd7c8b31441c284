// Repair of snapshots: trees written again without lost data.
#include <holdfast/repo/repair.h>
#include <holdfast/repo/tree.h>

#include "backup/saver.h"
#include "open/removal.h"
#include "trees/damage.h"

#include <fmt/format.h>

#include <unordered_map>

namespace holdfast::repo {
namespace {

constexpr std::string_view kTag = "repaired";

/// A folder that is looked through.
struct Level {
  Id tree{};
  std::vector<Node> nodes{};
  size_t next = 0;
  size_t path_size = 0;
  bool changed = false;
};

/// What became of a tree; nothing if it cannot be read itself.
struct Outcome {
  std::optional<Id> now{};
};

class SnapshotRepair {
 public:
  SnapshotRepair(IndexedRepository& index, bool dry_run)
      : index_(index), options_{.dry_run = dry_run}, saver_(index, options_) {}

  /// The tree without what is gone, maybe the same. Nothing if it cannot be read itself.
  Result<std::optional<Id>> repair(const Id& root) {
    path_.clear();
    std::optional<Outcome> outcome = HF_TRY(begin(root));
    while (!way_.empty()) {
      if (outcome) {
        HF_TRY(take(*outcome));
        outcome.reset();
      } else if (way_.back().next == way_.back().nodes.size()) {
        outcome = HF_TRY(leave());
      } else {
        outcome = HF_TRY(look_at_next());
      }
    }
    return outcome->now;
  }

  Result<void> finish() { return saver_.finish(); }
  std::vector<std::string> take_losses() { return std::exchange(losses_, {}); }

 private:
  /// What is known of a tree at once; otherwise it is the last of the way now.
  Result<std::optional<Outcome>> begin(const Id& tree) {
    if (const auto known = done_.find(tree); known != done_.end()) {
      if (known->second != tree) lose("as told for the same folder before");
      return std::optional(Outcome{known->second});
    }
    if (way_.size() >= kDeepest) return nested_too_deeply().with_context("read " + path_);
    Result<std::vector<Node>> nodes = load_tree(index_, tree);
    if (!nodes && !is_damage(nodes.error())) return nodes.take_error();
    if (!nodes) {
      lose(fmt::format("the folder is empty now: {}", nodes.error().what()));
      return std::optional(Outcome{});
    }
    way_.push_back({.tree = tree, .nodes = nodes.take(), .path_size = path_.size()});
    return std::optional<Outcome>();
  }

  Result<std::optional<Outcome>> look_at_next() {
    Level& level = way_.back();
    Node& node = level.nodes[level.next++];
    path_.resize(level.path_size);
    path_ += "/" + node.name;
    if (node.type == NodeType::Dir && node.subtree) return begin(Id(*node.subtree));
    if (node.type == NodeType::Dir) {
      lose("the folder is empty now: it had no tree");
      return std::optional(Outcome{});
    }
    if (node.type == NodeType::File && repair_file(node)) level.changed = true;
    return std::optional<Outcome>();
  }

  /// Of the folder that was looked at last.
  Result<void> take(const Outcome& outcome) {
    std::optional<Id> now = outcome.now;
    if (!now) now = HF_TRY(saver_.save_tree({}));
    Level& level = way_.back();
    Node& node = level.nodes[level.next - 1];
    if (node.subtree != now) level.changed = true;
    node.subtree = now;
    return ok();
  }

  Result<std::optional<Outcome>> leave() {
    const Level level = std::move(way_.back());
    way_.pop_back();
    Id now = level.tree;
    if (level.changed) now = HF_TRY(saver_.save_tree(level.nodes));
    done_.emplace(level.tree, now);
    return std::optional(Outcome{now});
  }

  /// Whether it was changed.
  bool repair_file(Node& node) {
    const bool listed = node.content.has_value();
    std::vector<Id> kept;
    uint64_t size = 0;
    for (const Id& id : listed ? *node.content : std::vector<Id>()) {
      const std::optional<Location> where = index_.find(BlobType::Data, id);
      if (!where) continue;
      kept.push_back(id);
      size += where->plain_length != 0 ? where->plain_length : where->length - kSealOverhead;
    }
    if (listed && kept.size() == node.content->size()) return false;
    lose(fmt::format("{} of {} bytes are left", size, node.size));
    node.content = std::move(kept);
    node.size = size;
    return true;
  }

  void lose(const std::string& what) {
    losses_.push_back(fmt::format("{}: {}", path_.empty() ? "/" : path_, what));
  }

  IndexedRepository& index_;
  const BackupOptions options_;
  Saver saver_;
  std::vector<Level> way_;
  std::string path_;  ///< of what is looked at
  std::unordered_map<Id, Id, IdHash> done_;
  std::vector<std::string> losses_;
};

Snapshot repaired(const Snapshot& old, const Id& tree, bool forget) {
  Snapshot now = old;
  now.tree = tree;
  now.original = old.id;
  now.summary.reset();
  const bool told = std::find(now.tags.begin(), now.tags.end(), kTag) != now.tags.end();
  if (!forget && !told) now.tags.emplace_back(kTag);
  return now;
}

}  // namespace

Result<std::vector<RepairedSnapshot>> repair_snapshots(Indexed& index,
                                                       const std::vector<Snapshot>& snapshots,
                                                       const RepairSnapshotsOptions& options) {
  SnapshotRepair repair(static_cast<IndexedRepository&>(index), options.dry_run);
  std::vector<RepairedSnapshot> out;
  for (const Snapshot& snapshot : snapshots) {
    const std::optional<Id> tree = HF_TRY(repair.repair(snapshot.tree));
    RepairedSnapshot one{.old = snapshot.id, .losses = repair.take_losses()};
    if (tree == snapshot.tree) continue;
    if (tree) one.now = repaired(snapshot, *tree, options.forget);
    out.push_back(std::move(one));
  }
  if (options.dry_run) return out;
  if (options.forget) HF_TRY(may_remove(index.repository()));
  // Trees and their index before the snapshots that need them, those before the old ones go.
  HF_TRY(repair.finish());
  for (RepairedSnapshot& one : out) {
    if (one.now) HF_TRY(save_snapshot(index.repository(), *one.now));
    if (options.forget) HF_TRY(index.repository().remove(FileType::Snapshot, one.old));
  }
  return out;
}

}  // namespace holdfast::repo
