// `diff`: what is different between two snapshots.
//   + added   - removed   M content   U metadata   T another type   ? content alone, like bit rot
#include <holdfast/base/text.h>
#include <holdfast/cli/words.h>

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

class Comparison {
 public:
  Comparison(repo::Indexed& index, Output& out, bool metadata, std::stop_token stop)
      : index_(index), out_(out), metadata_(metadata), stop_(std::move(stop)) {}

  Result<void> compare(const repo::Id& before, const repo::Id& after);
  void print_sums(const repo::Snapshot& before, const repo::Snapshot& after);

 private:
  using Nodes = std::vector<repo::Node>;
  Result<Nodes> load(const repo::Id& tree);
  Result<void> trees(const std::string& path, const repo::Id& before, const repo::Id& after);
  Result<void> pair(const std::string& path, const repo::Node& before, const repo::Node& after);
  Result<void> single(const std::string& path, const repo::Node& node, bool added);
  Result<void> all_below(const std::string& path, const repo::Id& tree, bool added);
  void note(Blobs& blobs, const repo::Node& node);
  void change(const std::string& path, const std::string& sign);
  void sum(const Blobs& of, const Blobs& other, Side& side);

  repo::Indexed& index_;
  Output& out_;
  const bool metadata_;
  const std::stop_token stop_;
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

void Comparison::change(const std::string& path, const std::string& sign) {
  if (out_.json())
    out_.line(JsonObject()
                  .text("message_type", "change")
                  .text("path", path)
                  .text("modifier", sign)
                  .take());
  else
    out_.line(fmt::format("{:<5}{}", sign, out_.shown(path)));
}

Result<Comparison::Nodes> Comparison::load(const repo::Id& tree) {
  if (stop_.stop_requested()) return Error(Fault::Unavailable, "compare: stopped");
  const std::string json = HF_TRY(index_.read(repo::BlobType::Tree, tree));
  return repo::parse_tree(json);
}

Result<void> Comparison::compare(const repo::Id& before, const repo::Id& after) {
  before_.trees.insert(before);
  after_.trees.insert(after);
  return trees("/", before, after);
}

Result<void> Comparison::trees(const std::string& path, const repo::Id& before,
                               const repo::Id& after) {
  const Nodes left = HF_TRY(load(before)), right = HF_TRY(load(after));
  auto a = left.begin(), b = right.begin();
  while (a != left.end() || b != right.end()) {
    if (b == right.end() || (a != left.end() && a->name < b->name)) {
      HF_TRY(single(path, *a++, false));
    } else if (a == left.end() || b->name < a->name) {
      HF_TRY(single(path, *b++, true));
    } else {
      HF_TRY(pair(path, *a++, *b++));
    }
  }
  return ok();
}

Result<void> Comparison::pair(const std::string& path, const repo::Node& before,
                              const repo::Node& after) {
  note(before_, before);
  note(after_, after);
  const bool folders = before.type == repo::NodeType::Dir && after.type == repo::NodeType::Dir;
  const std::string name = path + after.name + (after.type == repo::NodeType::Dir ? "/" : "");
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
  if (!sign.empty()) change(name, sign);
  // What is inside of a folder that was none before, or is none now, goes without saying.
  if (folders && before.subtree && after.subtree && *before.subtree != *after.subtree)
    return trees(name, *before.subtree, *after.subtree);
  return ok();
}

Result<void> Comparison::single(const std::string& path, const repo::Node& node, bool added) {
  const bool folder = node.type == repo::NodeType::Dir;
  const std::string name = path + node.name + (folder ? "/" : "");
  note(added ? after_ : before_, node);
  Side& side = added ? added_ : removed_;
  uint64_t& counter = folder                              ? side.dirs
                      : node.type == repo::NodeType::File ? side.files
                                                          : side.others;
  ++counter;
  change(name, added ? "+" : "-");
  if (folder && node.subtree) return all_below(name, *node.subtree, added);
  return ok();
}

Result<void> Comparison::all_below(const std::string& path, const repo::Id& tree, bool added) {
  const Nodes nodes = HF_TRY(load(tree));
  for (const repo::Node& node : nodes) HF_TRY(single(path, node, added));
  return ok();
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
  Comparison comparison(*index, session.out(), options.metadata, session.stop());
  HF_TRY(comparison.compare(before.tree, after.tree));
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
