// One restore from beginning to end.
#include <holdfast/base/walls.h>
#include <holdfast/repo/restore.h>

#include "files/closed_folder.h"
#include "files/output.h"
#include "restore/restorer.h"

#include <fmt/format.h>

#include <filesystem>
#include <thread>

namespace holdfast::repo {
namespace {

constexpr auto kProgressEvery = std::chrono::milliseconds(100);

Result<RestoreFilters> filters_of(const RestoreOptions& options) {
  RestoreFilters filters;
  filters.includes = HF_TRY(Patterns::parse(options.includes, false));
  filters.insensitive_includes = HF_TRY(Patterns::parse(options.insensitive_includes, true));
  filters.excludes = HF_TRY(Patterns::parse(options.excludes, false));
  filters.insensitive_excludes = HF_TRY(Patterns::parse(options.insensitive_excludes, true));
  return filters;
}

RestoreProgress progress_of(const Restorer& restorer) {
  const RestoreFigures& now = restorer.figures();
  return {now.files_total, now.bytes_total,   now.files_done,
          now.bytes_done,  now.bytes_skipped, restorer.errors()};
}

/// Runs the work beside the caller's thread, which tells how it goes.
Result<void> run(const Restorer& restorer, const std::function<Result<void>()>& work,
                 const std::function<void(const RestoreProgress&)>& progress) {
  Mutex mutex;
  CondVar finished;
  std::optional<Result<void>> outcome;
  const std::jthread thread([&] {
    Result<void> done = work();
    const Lock lock(mutex);
    outcome = std::move(done);
    finished.notify_all();
  });
  for (bool over = false; !over;) {
    {
      const Lock lock(mutex);
      if (!outcome) finished.wait_for(mutex, kProgressEvery);
      over = outcome.has_value();
    }
    progress(progress_of(restorer));
  }
  const Lock lock(mutex);
  return std::move(*outcome);
}

/// The target folder, if there is to be one; for us alone until it is let go of.
Result<std::optional<ClosedFolder>> make_target(const RestoreOptions& options) {
  if (!options.to_device.empty() || options.dry_run) return std::optional<ClosedFolder>();
  if (!options.closed || !wall_stands("closed target")) {
    HF_TRY(make_output_folders(options.target));
    return std::optional<ClosedFolder>();
  }
  ClosedFolder folder = HF_TRY(ClosedFolder::make(options.target));
  return std::optional(std::move(folder));
}

}  // namespace

Result<Id> find_tree(Indexed& index, const Id& root, std::string_view path) {
  Id tree = root;
  std::string seen;
  for (const auto& part : std::filesystem::path(path).relative_path().lexically_normal()) {
    if (part.empty() || part == ".") continue;
    seen += "/" + part.string();
    const std::vector<Node> nodes = HF_TRY(load_tree(index, tree));
    const auto found = std::find_if(nodes.begin(), nodes.end(), [&part](const Node& node) {
      return node.name == part.string();
    });
    if (found == nodes.end() || !found->subtree)
      return Error(Fault::NotFound, fmt::format("the snapshot has no folder {}", seen));
    tree = *found->subtree;
  }
  return tree;
}

namespace {

/// What one path of a snapshot is.
Result<Node> find_node(Indexed& index, const Id& root, const std::string& path) {
  const std::filesystem::path clean =
      std::filesystem::path(path).relative_path().lexically_normal();
  const Id above = HF_TRY(find_tree(index, root, clean.parent_path().string()));
  std::vector<Node> nodes = HF_TRY(load_tree(index, above));
  for (Node& node : nodes)
    if (node.name == clean.filename().string()) return std::move(node);
  return Error(Fault::NotFound, fmt::format("the snapshot has no /{}", clean.string()))
      .with_hint("SNAPSHOT:PATH names the image");
}

}  // namespace

Result<RestoreResult> restore(Indexed& index, const Snapshot& snapshot,
                              const RestoreOptions& options,
                              const std::function<void(const RestoreProgress&)>& progress,
                              std::stop_token stop) {
  RestoreFilters filters = HF_TRY(filters_of(options));
  const bool device = !options.to_device.empty();
  Node image;
  Id tree;
  if (!device && options.target.empty())
    return Error(Fault::Invalid, "restore: no target folder was given");
  if (device)
    image = HF_TRY(find_node(index, snapshot.tree, options.subfolder));
  else
    tree = HF_TRY(find_tree(index, snapshot.tree, options.subfolder));
  const std::optional<ClosedFolder> target = HF_TRY(make_target(options));
  Restorer restorer(static_cast<IndexedRepository&>(index), options, std::move(filters),
                    std::move(stop));
  const auto work = [&] {
    return device ? restorer.restore_to_device(image) : restorer.restore(tree);
  };
  HF_TRY(run(restorer, work, progress));
  const RestoreFigures& done = restorer.figures();
  RestoreResult result;
  result.chosen = done.chosen;
  result.files_restored = done.files_restored;
  result.bytes_restored = done.bytes_restored;
  result.files_unchanged = done.files_unchanged;
  result.bytes_skipped = done.bytes_skipped;
  result.files_deleted = done.files_deleted;
  result.files_verified = done.files_verified;
  restorer.tell_troubles(result);
  return result;
}

}  // namespace holdfast::repo
