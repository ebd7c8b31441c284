#include "mover/pod_moves.h"

#include <holdfast/base/text.h>
#include <holdfast/repo/dump.h>
#include <holdfast/repo/restore.h>

#include "mover/unpack.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

/// The only file of a snapshot of a command.
Result<repo::Node> only_file(repo::Indexed& index, const repo::Snapshot& snapshot) {
  std::optional<repo::Node> found;
  std::optional<Error> damage;
  HF_TRY(repo::walk(
      index, snapshot.tree,
      [&found](const std::string& path, const repo::Node& node) -> Result<repo::Step> {
        if (node.type != repo::NodeType::File || found)
          return Error(Fault::Invalid,
                       fmt::format("the snapshot holds {}, not the output of a command", path))
              .with_hint("restore it into a directory or a volume");
        found = node;
        return repo::Step::Past;
      },
      [&damage](const std::string&, const Error& error) { damage = error.copy(); }));
  if (damage) return std::move(*damage);
  if (!found) return Error(Fault::Invalid, "the snapshot is empty");
  return std::move(*found);
}

}  // namespace

Result<bool> has_shell(const PodCaller& caller) {
  const std::unique_ptr<PodCommand> nothing = HF_TRY(caller.run({"/bin/sh", "-c", ":"}, false));
  char said = 0;
  Result<size_t> got = nothing->read(&said, 1);
  if (got) return true;
  if (nothing->found_no_shell()) return false;
  return got.take_error();
}

Result<void> fetch_folder(const PodCaller& caller) {
  const std::unique_ptr<PodCommand> tar =
      HF_TRY(caller.run({"tar", "-C", caller.task.directory, "-cf", "-", "."}, false));
  HF_TRY(unpack_tar([&tar](char* into, size_t most) { return tar->read(into, most); },
                    caller.task.folder));
  // An archive ends before its bytes do: how tar itself ended is known only after the last of them.
  std::vector<char> rest(size_t(64) << 10);
  while (HF_TRY(tar->read(rest.data(), rest.size())) > 0) continue;
  return {};
}

Result<void> expect_empty_folder(const PodCaller& caller) {
  const std::unique_ptr<PodCommand> list =
      HF_TRY(caller.run({"ls", "-A", caller.task.directory}, false));
  std::string names(4096, '\0');
  const size_t got = HF_TRY(list->read(names.data(), names.size()));
  const std::string_view first = split(std::string_view(names).substr(0, got), '\n').front();
  if (got == 0) return {};
  return Error(Fault::Invalid, fmt::format("folder {} of pod {} holds {} already",
                                           caller.task.directory, caller.task.pod, first))
      .with_hint("restore into an empty folder");
}

Result<void> restore_to_pod(const PodCaller& caller, repo::Indexed& index,
                            const repo::Snapshot& snapshot,
                            const std::function<void(uint64_t bytes)>& sent) {
  const MoveTask& task = caller.task;
  std::unique_ptr<PodCommand> command;
  const repo::Sink sink = [&command, &sent](std::string_view bytes) {
    sent(bytes.size());
    return command->write(bytes);
  };
  if (task.directory.empty()) {
    const repo::Node file = HF_TRY(only_file(index, snapshot));
    command = HF_TRY(caller.run(task.command, true));
    HF_TRY(repo::dump_file(index, file, sink, caller.stop));
    return command->finish();
  }
  const repo::Id tree = HF_TRY(
      repo::find_tree(index, snapshot.tree, snapshot.paths.empty() ? "/" : snapshot.paths.front()));
  command = HF_TRY(caller.run({"tar", "-C", task.directory, "-xpf", "-"}, true));
  HF_TRY(repo::dump_tar(index, tree, "", sink, caller.stop));
  return command->finish();
}

}  // namespace holdfast::protect
