// `diff`: what is different between two snapshots.
//   + added   - removed   M content   U metadata   T another type   ? content alone, like bit rot
#include <holdfast/base/text.h>
#include <holdfast/cli/words.h>
#include <holdfast/repo/tree.h>

#include "repo/choice.h"
#include "repo/print/json_object.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <unordered_set>

namespace holdfast::cli {
namespace {

struct DiffOptions {
  std::string before{}, after{};
  bool metadata = false;
};

struct Side {
  uint64_t files = 0, dirs = 0, others = 0, data_blobs = 0, tree_blobs = 0, bytes = 0;
};

using IdSet = std::unordered_set<repo::Id, repo::IdHash>;
struct Blobs {
  IdSet data{}, trees{};
};

constexpr uint64_t kSeal = 32;

using Nodes = std::vector<repo::Node>;

/// A folder of both snapshots, or of one: the other side is empty then.
struct Level {
  Nodes before{}, after{};
  size_t next_before = 0, next_after = 0;
  size_t path_size = 0;

  bool over() const { return next_before == before.size() && next_after == after.size(); }
  /// Which of the two next ones comes first by its name: < 0 before, > 0 after, 0 both are it.
  int order() const {
    if (next_after == after.size()) return -1;
    if (next_before == before.size()) return 1;
    return before[next_before].name.compare(after[next_after].name);
  }
};

class Comparison {
 public:
  Comparison(repo::Indexed& index, Output& out, bool metadata, std::stop_token stop,
             const repo::Id& before, const repo::Id& after)
      : index_(index),
        out_(out),
        metadata_(metadata),
        stop_(std::move(stop)),
        roots_{before, after},
        bounds_{{index, before}, {index, after}} {}

  Result<void> compare();
  void print_sums(const repo::Snapshot& before, const repo::Snapshot& after);

 private:
  using Tree = std::optional<repo::Id>;
  Result<Nodes> load(const Tree& tree, repo::WalkBound& bound);
  Result<void> enter(const Tree& before, const Tree& after);
  Result<void> pair(const repo::Node& before, const repo::Node& after);
  Result<void> single(const repo::Node& node, bool added);
  void note(Blobs& blobs, const repo::Node& node);
  void change(const std::string& sign);
  void sum(const Blobs& of, const Blobs& other, Side& side);

  repo::Indexed& index_;
  Output& out_;
  const bool metadata_;
  const std::stop_token stop_;
  const std::pair<repo::Id, repo::Id> roots_;
  std::pair<repo::WalkBound, repo::WalkBound> bounds_;
  std::vector<Level> way_;
  std::string path_;  ///< of what is compared; of a folder with a slash at its end
  Side added_{}, removed_{};
  uint64_t changed_files_ = 0;
  Blobs before_{}, after_{};
};

bool same(const repo::Node& a, const repo::Node& b) {
  return repo::to_json({a}) == repo::to_json({b});
}

bool same_but_content(repo::Node a, repo::Node b) {
  a.content.reset();
  b.content.reset();
  return same(a, b);
}

void Comparison::note(Blobs& blobs, const repo::Node& node) {
  if (node.content) blobs.data.insert(node.content->begin(), node.content->end());
  if (node.subtree) blobs.trees.insert(*node.subtree);
}

void Comparison::change(const std::string& sign) {
  if (out_.json())
    out_.line(JsonObject()
                  .text("message_type", "change")
                  .text("path", path_)
                  .text("modifier", sign)
                  .take());
  else
    out_.line(fmt::format("{:<5}{}", sign, out_.shown(path_)));
}

Result<Nodes> Comparison::load(const Tree& tree, repo::WalkBound& bound) {
  if (!tree) return Nodes();
  HF_TRY(bound.enter());
  return repo::load_tree(index_, *tree);
}

Result<void> Comparison::enter(const Tree& before, const Tree& after) {
  if (stop_.stop_requested() || out_.closed()) return Error(Fault::Unavailable, "compare: stopped");
  if (way_.size() >= repo::kDeepest)
    return repo::nested_too_deeply().with_context("compare " + path_);
  Level level{.path_size = path_.size()};
  level.before = HF_TRY(load(before, bounds_.first));
  level.after = HF_TRY(load(after, bounds_.second));
  way_.push_back(std::move(level));
  return ok();
}

Result<void> Comparison::compare() {
  before_.trees.insert(roots_.first);
  after_.trees.insert(roots_.second);
  path_ = "/";
  HF_TRY(enter(roots_.first, roots_.second));
  while (!way_.empty()) {
    Level& level = way_.back();
    path_.resize(level.path_size);
    if (level.over()) {
      way_.pop_back();
      continue;
    }
    const int order = level.order();
    if (order < 0)
      HF_TRY(single(level.before[level.next_before++], false));
    else if (order > 0)
      HF_TRY(single(level.after[level.next_after++], true));
    else
      HF_TRY(pair(level.before[level.next_before++], level.after[level.next_after++]));
  }
  return ok();
}

Result<void> Comparison::pair(const repo::Node& before, const repo::Node& after) {
  note(before_, before);
  note(after_, after);
  const bool folders = before.type == repo::NodeType::Dir && after.type == repo::NodeType::Dir;
  path_ += after.name + (after.type == repo::NodeType::Dir ? "/" : "");
  std::string sign;
  if (before.type != after.type) sign += 'T';
  if (before.type == repo::NodeType::File && after.type == repo::NodeType::File &&
      before.content != after.content) {
    sign += 'M';
    ++changed_files_;
    // Nothing says that it was written, and yet it is another content.
    if (same_but_content(before, after)) sign += '?';
  } else if (metadata_ && !same(before, after)) {
    sign += 'U';
  }
  if (!sign.empty()) change(sign);
  // What is inside of a folder that was none before, or is none now, goes without saying.
  if (folders && before.subtree && after.subtree && *before.subtree != *after.subtree)
    return enter(before.subtree, after.subtree);
  return ok();
}

Result<void> Comparison::single(const repo::Node& node, bool added) {
  const bool folder = node.type == repo::NodeType::Dir;
  path_ += node.name + (folder ? "/" : "");
  note(added ? after_ : before_, node);
  Side& side = added ? added_ : removed_;
  uint64_t& counter = folder                              ? side.dirs
                      : node.type == repo::NodeType::File ? side.files
                                                          : side.others;
  ++counter;
  change(added ? "+" : "-");
  if (!folder || !node.subtree) return ok();
  return added ? enter({}, node.subtree) : enter(node.subtree, {});
}

void Comparison::sum(const Blobs& of, const Blobs& other, Side& side) {
  const auto add = [&](repo::BlobType type, const IdSet& ids, const IdSet& without,
                       uint64_t& counter) {
    for (const repo::Id& id : ids) {
      if (without.contains(id)) continue;
      ++counter;
      const auto where = index_.find(type, id);
      if (where)
        side.bytes += where->plain_length != 0 ? where->plain_length : where->length - kSeal;
    }
  };
  add(repo::BlobType::Data, of.data, other.data, side.data_blobs);
  add(repo::BlobType::Tree, of.trees, other.trees, side.tree_blobs);
}

std::string side_json(const Side& side) {
  JsonObject out;
  out.number("files", side.files).number("dirs", side.dirs).number("others", side.others);
  out.number("data_blobs", side.data_blobs).number("tree_blobs", side.tree_blobs);
  return out.number("bytes", side.bytes).take();
}

void Comparison::print_sums(const repo::Snapshot& before, const repo::Snapshot& after) {
  sum(before_, after_, removed_);
  sum(after_, before_, added_);
  if (out_.json()) {
    out_.line(JsonObject()
                  .text("message_type", "statistics")
                  .text("source_snapshot", before.id.hex())
                  .text("target_snapshot", after.id.hex())
                  .number("changed_files", changed_files_)
                  .raw("added", side_json(added_))
                  .raw("removed", side_json(removed_))
                  .take());
    return;
  }
  out_.line(fmt::format("\nFiles:       {:5} new, {:5} removed, {:5} changed", added_.files,
                        removed_.files, changed_files_));
  const auto line = [&](std::string_view name, uint64_t fresh, uint64_t gone) {
    out_.line(fmt::format("{:<12} {:5} new, {:5} removed", name, fresh, gone));
  };
  line("Dirs:", added_.dirs, removed_.dirs);
  line("Others:", added_.others, removed_.others);
  line("Data Blobs:", added_.data_blobs, removed_.data_blobs);
  line("Tree Blobs:", added_.tree_blobs, removed_.tree_blobs);
  out_.line(fmt::format("  Added:   {}", size_text(added_.bytes)));
  out_.line(fmt::format("  Removed: {}", size_text(removed_.bytes)));
}

Result<int> compare_snapshots(const DiffOptions& options, Session& session) {
  repo::Indexed* index = HF_TRY(session.open_index(LockKind::Shared));
  const Place before = HF_TRY(find_place(*index, options.before, {}));
  const Place after = HF_TRY(find_place(*index, options.after, {}));
  session.out().remark(fmt::format("comparing snapshot {} to {}:\n", short_id(before.snapshot.id),
                                   short_id(after.snapshot.id)));
  Comparison comparison(*index, session.out(), options.metadata, session.stop(), before.tree,
                        after.tree);
  HF_TRY(comparison.compare());
  comparison.print_sums(before.snapshot, after.snapshot);
  return kDone;
}

}  // namespace

void add_diff(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("diff", "compares two snapshots");
  auto options = std::make_shared<DiffOptions>();
  verb->add_option("before", options->before, "id of a snapshot, latest, or ID:folder")->required();
  verb->add_option("after", options->after, "id of a snapshot, latest, or ID:folder")->required();
  verb->add_flag("--metadata", options->metadata, "also what changed but its content");
  verbs.run(verb, [options](Session& session) { return compare_snapshots(*options, session); });
}

}  // namespace holdfast::cli
