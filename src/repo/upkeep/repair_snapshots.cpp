// Repair of snapshots: trees written again without lost data.
#include <holdfast/repo/repair.h>
#include <holdfast/repo/tree.h>

#include "backup/saver.h"
#include "open/removal.h"

#include <fmt/format.h>

#include <unordered_map>

namespace holdfast::repo {
namespace {

constexpr int kDeepest = 5000;
constexpr std::string_view kTag = "repaired";

class SnapshotRepair {
 public:
  SnapshotRepair(IndexedRepository& index, bool dry_run)
      : index_(index), options_{.dry_run = dry_run}, saver_(index, options_) {}

  /// The tree without what is gone, maybe the same. Nothing if it cannot be read itself.
  Result<std::optional<Id>> repair(const Id& tree, const std::string& path, int depth) {
    if (const auto known = done_.find(tree); known != done_.end()) {
      if (known->second != tree) lose(path, "as told for the same folder before");
      return std::optional(known->second);
    }
    if (depth > kDeepest)
      return Error(Fault::Invalid, fmt::format("\"{}\" is nested too deeply", path));
    const Result<std::string> json = index_.read(BlobType::Tree, tree);
    if (!json && json.error().fault() != Fault::Corrupt && json.error().fault() != Fault::NotFound)
      return json.error().copy();
    Result<std::vector<Node>> nodes = json ? parse_tree(*json) : json.error().copy();
    if (!nodes) {
      lose(path, fmt::format("the folder is empty now: {}", nodes.error().what()));
      return std::optional<Id>();
    }
    bool changed = false;
    for (Node& node : *nodes) {
      const bool lost = HF_TRY(repair_node(node, path + "/" + node.name, depth));
      changed = changed || lost;
    }
    Id now = tree;
    if (changed) now = HF_TRY(saver_.save_tree(*nodes));
    done_.emplace(tree, now);
    return std::optional(now);
  }

  Result<void> finish() { return saver_.finish(); }
  std::vector<std::string> take_losses() { return std::exchange(losses_, {}); }

 private:
  /// Whether it was changed.
  Result<bool> repair_node(Node& node, const std::string& path, int depth) {
    if (node.type == NodeType::Dir) return repair_folder(node, path, depth);
    if (node.type != NodeType::File) return false;
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
    lose(path, fmt::format("{} of {} bytes are left", size, node.size));
    node.content = std::move(kept);
    node.size = size;
    return true;
  }

  Result<bool> repair_folder(Node& node, const std::string& path, int depth) {
    std::optional<Id> now;
    if (node.subtree)
      now = HF_TRY(repair(*node.subtree, path, depth + 1));
    else
      lose(path, "the folder is empty now: it had no tree");
    if (!now) now = HF_TRY(saver_.save_tree({}));
    const bool changed = node.subtree != now;
    node.subtree = now;
    return changed;
  }

  void lose(const std::string& path, const std::string& what) {
    losses_.push_back(fmt::format("{}: {}", path.empty() ? "/" : path, what));
  }

  IndexedRepository& index_;
  const BackupOptions options_;
  Saver saver_;
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
    const std::optional<Id> tree = HF_TRY(repair.repair(snapshot.tree, "", 0));
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
