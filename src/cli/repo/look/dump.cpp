// `dump`: a file to standard output, or a folder as a tar archive.
#include <holdfast/base/files.h>
#include <holdfast/base/terminal.h>
#include <holdfast/base/text.h>
#include <holdfast/repo/dump.h>
#include <holdfast/repo/image.h>

#include "repo/choice.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {
namespace {

struct DumpOptions {
  Choice choice{};
  std::string snapshot{}, path{}, target{};
  std::string archive = "tar";
};

Result<void> dump(repo::Indexed& index, const DumpOptions& options, const repo::Sink& out,
                  const std::stop_token& stop) {
  const Place place = HF_TRY(find_place(index, options.snapshot, options.choice));
  const repo::Node node = HF_TRY(find_node(index, place.tree, options.path));
  if (node.type == repo::NodeType::File) return repo::dump_file(index, node, out, stop);
  if (repo::image_layout(node)) return repo::dump_image(index, node, out, stop);
  if (node.type != repo::NodeType::Dir || !node.subtree)
    return Error(Fault::Invalid,
                 fmt::format("{} is neither a file nor a folder of the snapshot", options.path));
  return repo::dump_tar(index, *node.subtree, join(parts_of(options.path), "/"), out, stop);
}

Result<int> dump_to(const DumpOptions& options, Session& session) {
  if (options.target.empty() && is_terminal(Standard::Output))
    return Error(Fault::Invalid, "dump: standard output is a terminal")
        .with_hint("send it to a file or a program, or give --target");
  repo::Indexed* index = HF_TRY(session.open_index(LockKind::Shared));
  if (options.target.empty()) {
    HF_TRY(dump(
        *index, options, [&](std::string_view bytes) { return session.out().bytes(bytes); },
        session.stop()));
    return kDone;
  }
  FileWriter file = HF_TRY(FileWriter::create(options.target, 0600));
  HF_TRY(dump(
      *index, options, [&file](std::string_view bytes) { return file.write(bytes); },
      session.stop()));
  HF_TRY(file.finish());
  return kDone;
}

}  // namespace

void add_dump(RepoVerbs& verbs) {
  CLI::App* verb =
      verbs.add("dump", "writes a file, an image, or a folder as an archive, to standard output");
  auto options = std::make_shared<DumpOptions>();
  add_choice(verb, options->choice);
  verb->add_option("snapshot", options->snapshot, "id of a snapshot, latest, or ID:folder")
      ->required();
  verb->add_option("path", options->path, "file or folder of the snapshot; / for all")->required();
  verb->add_option("-t,--target", options->target, "file to write instead");
  verb->add_option("-a,--archive", options->archive, "form of an archive: tar")
      ->check(CLI::IsMember({"tar"}));
  verbs.run(verb, [options](Session& session) { return dump_to(*options, session); });
}

}  // namespace holdfast::cli
