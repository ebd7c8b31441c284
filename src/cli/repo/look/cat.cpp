// `cat`: one object of the repository as it is.
#include "repo/choice.h"
#include "repo/print/json_object.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>

namespace holdfast::cli {
namespace {

struct CatOptions {
  std::string type{}, name{};
};

const std::map<std::string, repo::FileType> kFiles{
    {"snapshot", repo::FileType::Snapshot}, {"index", repo::FileType::Index},
    {"key", repo::FileType::Key},           {"lock", repo::FileType::Lock},
    {"pack", repo::FileType::Pack},
};

Result<int> print_file(const CatOptions& options, repo::FileType type, Session& session) {
  repo::Opened* repository = HF_TRY(session.open(LockKind::Shared));
  const repo::Id id = HF_TRY(repository->find(type, options.name));
  const std::string text = HF_TRY(repository->load(type, id));
  // An index is as long as it is; what people read is laid out for them.
  const bool laid_out = type != repo::FileType::Pack && type != repo::FileType::Index;
  const std::string_view end = type == repo::FileType::Pack ? "" : "\n";
  HF_TRY(session.out().as_stored((laid_out ? indented(text) : text) + std::string(end)));
  return kDone;
}

Result<int> print_blob(const CatOptions& options, Session& session) {
  const std::optional<repo::Id> id = repo::Id::from_hex(options.name);
  if (!id) return Error(Fault::Invalid, fmt::format("\"{}\" is no blob's id", options.name));
  repo::Indexed* index = HF_TRY(session.open_index(LockKind::Shared));
  const bool tree = !index->find(repo::BlobType::Data, *id).has_value();
  const std::string bytes =
      HF_TRY(index->read(tree ? repo::BlobType::Tree : repo::BlobType::Data, *id));
  HF_TRY(session.out().as_stored(bytes));
  return kDone;
}

Result<int> print_tree(const CatOptions& options, Session& session) {
  repo::Indexed* index = HF_TRY(session.open_index(LockKind::Shared));
  const Place place = HF_TRY(find_place(*index, options.name, {}));
  const std::string bytes = HF_TRY(index->read(repo::BlobType::Tree, place.tree));
  HF_TRY(session.out().as_stored(bytes));
  return kDone;
}

Result<int> print_object(const CatOptions& options, Session& session) {
  if (options.type == "config") {
    repo::Opened* repository = HF_TRY(session.open(LockKind::Shared));
    HF_TRY(session.out().as_stored(indented(repository->config().text) + "\n"));
    return kDone;
  }
  if (options.name.empty())
    return Error(Fault::Invalid, fmt::format("cat {}: which one?", options.type))
        .with_hint("give its id");
  if (options.type == "blob") return print_blob(options, session);
  if (options.type == "tree") return print_tree(options, session);
  return print_file(options, kFiles.at(options.type), session);
}

}  // namespace

void add_cat(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("cat", "prints one object of the repository");
  auto options = std::make_shared<CatOptions>();
  verb->add_option("type", options->type, "config, key, snapshot, index, lock, pack, blob or tree")
      ->required()
      ->check(
          CLI::IsMember({"config", "key", "snapshot", "index", "lock", "pack", "blob", "tree"}));
  verb->add_option("id", options->name,
                   "id of the object or its beginning; a tree: SNAPSHOT:folder");
  verbs.run(verb, [options](Session& session) { return print_object(*options, session); });
}

}  // namespace holdfast::cli
