// `ls`: the files of a snapshot.
#include <holdfast/base/text.h>

#include "repo/choice.h"
#include "repo/look/node_text.h"
#include "repo/print/json_object.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

struct LsOptions {
  Choice choice{};
  std::string snapshot{};
  std::vector<std::string> folders{};
  bool long_lines = false, recursive = false, human = false;
};

bool inside(const std::string& path, const std::string& folder) {
  return folder == "/" ||
         (path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/');
}

std::string parent_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// The folders asked for, what is right in them, and with --recursive all below.
struct Wanted {
  std::vector<std::string> folders;
  bool recursive;

  bool shows(const std::string& path) const {
    return folders.empty() || std::any_of(folders.begin(), folders.end(), [&](const auto& folder) {
             return path == folder || parent_of(path) == folder ||
                    (recursive && inside(path, folder));
           });
  }
  bool enters(const std::string& path) const {
    return folders.empty() || std::any_of(folders.begin(), folders.end(), [&](const auto& folder) {
             return path == folder || inside(folder, path) || (recursive && inside(path, folder));
           });
  }
};

void print_node(Output& out, const LsOptions& options, const std::string& path,
                const repo::Node& node) {
  if (out.json())
    out.line(ls_json(path, node));
  else if (options.long_lines)
    out.line(long_line(out.shown(path), out.shown(node.link_target), node, options.human));
  else
    out.line(out.shown(path));
}

Result<int> list_files(const LsOptions& options, Session& session) {
  Wanted wanted{{}, options.recursive};
  for (const std::string& folder : options.folders) {
    if (!folder.starts_with('/'))
      return Error(Fault::Invalid,
                   fmt::format("folder {}: paths begin with /", holdfast::quoted(folder)));
    wanted.folders.push_back("/" + join(parts_of(folder), "/"));
  }
  repo::Indexed* index = HF_TRY(session.open_index(LockKind::Shared));
  const Place place = HF_TRY(find_place(*index, options.snapshot, options.choice));
  Output& out = session.out();
  if (out.json())
    out.line(JsonObject(snapshot_json(place.snapshot))
                 .text("message_type", "snapshot")
                 .text("struct_type", "snapshot")
                 .take());
  else
    out.remark(
        fmt::format("{} filtered by [{}]:", heading(place.snapshot), join(wanted.folders, " ")));
  int code = kDone;
  HF_TRY(repo::walk(
      *index, place.tree,
      [&](const std::string& relative, const repo::Node& node) -> Result<repo::Step> {
        if (session.stop().stop_requested() || out.closed())
          return Error(Fault::Unavailable, "list files: stopped");
        const std::string path = "/" + relative;
        if (wanted.shows(path)) print_node(out, options, path, node);
        return wanted.enters(path) ? repo::Step::Inside : repo::Step::Past;
      },
      [&](const std::string& path, const Error& error) {
        out.warn(fmt::format("/{}: {}", path, error.what()));
        code = kFailed;
      }));
  return code;
}

}  // namespace

void add_ls(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("ls", "lists the files of a snapshot");
  auto options = std::make_shared<LsOptions>();
  add_choice(verb, options->choice);
  verb->add_option("snapshot", options->snapshot, "id of a snapshot, latest, or ID:folder")
      ->required();
  verb->add_option("folders", options->folders, "only what is in these");
  verb->add_flag("-l,--long", options->long_lines, "with mode, owner, size and time");
  verb->add_flag("--recursive", options->recursive, "all below the folders");
  verb->add_flag("--human-readable", options->human, "sizes in KiB, MiB, …");
  verbs.run(verb, [options](Session& session) { return list_files(*options, session); });
}

}  // namespace holdfast::cli
