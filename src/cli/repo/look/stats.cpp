// `stats`: sizes and counts, in four modes.
#include <holdfast/cli/words.h>
#include <holdfast/repo/tree.h>

#include "repo/choice.h"
#include "repo/print/json_object.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <set>
#include <unordered_map>
#include <unordered_set>

namespace holdfast::cli {
namespace {

/// What a sealed blob has more than its plain bytes.
constexpr uint64_t kSeal = 32;

struct StatsOptions {
  Choice choice{};
  std::vector<std::string> names{};
  std::string mode = "restore-size";
};

struct Counts {
  uint64_t size = 0, files = 0, blobs = 0, snapshots = 0;
  uint64_t plain = 0, compressed = 0, compressed_plain = 0;
};

using IdSet = std::unordered_set<repo::Id, repo::IdHash>;

class Counter {
 public:
  Counter(repo::Indexed& index, std::string mode) : index_(index), mode_(std::move(mode)) {}

  Result<void> add(const repo::Snapshot& snapshot, const std::stop_token& stop);
  Counts take() { return counts_; }

 private:
  /// The size of a snapshot is that of each folder as often as it is there; of all else, blobs and
  /// contents, what was seen once counts no more.
  Result<void> add_sizes(const repo::Id& root, const std::stop_token& stop);
  Result<void> add_distinct(const repo::Id& root, const std::stop_token& stop);
  repo::Extent restore_size(const repo::Node& node);
  void by_contents(const std::string& path, const repo::Node& node);
  void raw_data(repo::BlobType type, const repo::Id& id);

  repo::Indexed& index_;
  const std::string mode_;
  Counts counts_{};
  std::set<std::pair<uint64_t, uint64_t>> links_{};  ///< of one snapshot
  std::set<std::vector<repo::Id>> contents_{};
  std::unordered_map<std::string, IdSet> by_path_{};
  IdSet trees_{}, data_{};
  std::optional<Error> damage_{};
};

/// What it adds wherever its folder is. A file with several names is restored once.
repo::Extent Counter::restore_size(const repo::Node& node) {
  if (node.links <= 1 || node.type == repo::NodeType::Dir) return {1, node.size};
  if (links_.emplace(node.device_id, node.inode).second) counts_.size += node.size;
  return {1, 0};
}

void Counter::by_contents(const std::string& path, const repo::Node& node) {
  if (node.type != repo::NodeType::File || !node.content) return;
  if (!contents_.insert(*node.content).second) return;
  if (mode_ == "files-by-contents") {
    ++counts_.files;
    counts_.size += node.size;
    return;
  }
  for (const repo::Id& id : *node.content) {
    const auto [blobs, fresh] = by_path_.try_emplace(path);
    if (fresh) ++counts_.files;
    if (!blobs->second.insert(id).second) continue;
    ++counts_.blobs;
    const auto where = index_.find(repo::BlobType::Data, id);
    if (where)
      counts_.size += where->plain_length != 0 ? where->plain_length : where->length - kSeal;
  }
}

void Counter::raw_data(repo::BlobType type, const repo::Id& id) {
  if (type == repo::BlobType::Data && !data_.insert(id).second) return;
  const auto where = index_.find(type, id);
  if (!where) return;
  const uint64_t plain = where->plain_length != 0 ? where->plain_length + kSeal : where->length;
  ++counts_.blobs;
  counts_.size += where->length;
  counts_.plain += plain;
  if (where->plain_length == 0) return;
  counts_.compressed += where->length;
  counts_.compressed_plain += plain;
}

Result<void> Counter::add_sizes(const repo::Id& root, const std::stop_token& stop) {
  links_.clear();
  const repo::Extent all = HF_TRY(repo::extent_of(
      index_, root,
      [&](const repo::Node& node) -> Result<repo::Extent> {
        if (stop.stop_requested()) return Error(Fault::Unavailable, "count: stopped");
        return restore_size(node);
      },
      [&](const Error& error) { damage_ = error.copy(); }));
  counts_.files += all.entries;
  counts_.size += all.bytes;
  return ok();
}

Result<void> Counter::add_distinct(const repo::Id& root, const std::stop_token& stop) {
  const bool raw = mode_ == "raw-data";
  if (!trees_.insert(root).second) return ok();
  if (raw) raw_data(repo::BlobType::Tree, root);
  return repo::walk(
      index_, root,
      [&](const std::string& path, const repo::Node& node) -> Result<repo::Step> {
        if (stop.stop_requested()) return Error(Fault::Unavailable, "count: stopped");
        if (!raw) by_contents(path, node);
        if (raw && node.content)
          for (const repo::Id& id : *node.content) raw_data(repo::BlobType::Data, id);
        if (!node.subtree) return repo::Step::Inside;
        if (!trees_.insert(*node.subtree).second) return repo::Step::Past;
        if (raw) raw_data(repo::BlobType::Tree, *node.subtree);
        return repo::Step::Inside;
      },
      [&](const std::string&, const Error& error) { damage_ = error.copy(); });
}

Result<void> Counter::add(const repo::Snapshot& snapshot, const std::stop_token& stop) {
  ++counts_.snapshots;
  HF_TRY(mode_ == "restore-size" ? add_sizes(snapshot.tree, stop)
                                 : add_distinct(snapshot.tree, stop));
  if (damage_) return std::move(*damage_);
  return ok();
}

std::string counts_json(const Counts& counts, const std::string& mode) {
  JsonObject out;
  out.number("total_size", counts.size);
  if (mode == "raw-data" && counts.plain > 0) {
    out.number("total_uncompressed_size", counts.plain);
    if (counts.compressed > 0)
      out.real("compression_ratio", double(counts.compressed_plain) / double(counts.compressed));
    out.real("compression_progress", double(counts.compressed_plain) / double(counts.plain) * 100);
    out.real("compression_space_saving", (1 - double(counts.size) / double(counts.plain)) * 100);
  }
  if (mode != "raw-data") out.number("total_file_count", counts.files);
  if (mode == "raw-data" || mode == "blobs-per-file") out.number("total_blob_count", counts.blobs);
  return out.number("snapshots_count", counts.snapshots).take();
}

void print_counts(Output& out, const Counts& counts, const std::string& mode) {
  const auto line = [&out](std::string_view name, const std::string& value) {
    out.line(fmt::format("{:>25}:  {}", name, value));
  };
  out.line(fmt::format("Stats in {} mode:", mode));
  line("Snapshots processed", std::to_string(counts.snapshots));
  if (mode == "raw-data" || mode == "blobs-per-file")
    line("Total Blob Count", std::to_string(counts.blobs));
  if (mode != "raw-data") line("Total File Count", std::to_string(counts.files));
  if (mode == "raw-data" && counts.plain > 0)
    line("Total Uncompressed Size", size_text(counts.plain));
  line("Total Size", size_text(counts.size));
  if (mode == "raw-data" && counts.compressed > 0)
    line("Compression Ratio",
         fmt::format("{:.2f}x", double(counts.compressed_plain) / double(counts.compressed)));
}

Result<int> count(const StatsOptions& options, Session& session) {
  repo::Indexed* index = HF_TRY(session.open_index(LockKind::Shared));
  const std::vector<repo::Snapshot> snapshots =
      HF_TRY(choose(session, index->repository(), options.choice, options.names));
  Counter counter(*index, options.mode);
  for (const repo::Snapshot& snapshot : snapshots) HF_TRY(counter.add(snapshot, session.stop()));
  if (session.out().json())
    session.out().line(counts_json(counter.take(), options.mode));
  else
    print_counts(session.out(), counter.take(), options.mode);
  return kDone;
}

}  // namespace

void add_stats(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("stats", "counts files, blobs and bytes");
  auto options = std::make_shared<StatsOptions>();
  add_choice(verb, options->choice);
  verb->add_option("ids", options->names, "snapshots; without any: all that match");
  verb->add_option("--mode", options->mode,
                   "restore-size, files-by-contents, blobs-per-file or raw-data")
      ->capture_default_str()
      ->check(CLI::IsMember({"restore-size", "files-by-contents", "blobs-per-file", "raw-data"}));
  verbs.run(verb, [options](Session& session) { return count(*options, session); });
}

}  // namespace holdfast::cli
