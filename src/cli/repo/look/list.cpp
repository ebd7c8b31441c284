// `list`: ids of snapshots, packs, indexes, keys, locks or blobs.
#include "repo/verb.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>

namespace holdfast::cli {
namespace {

const std::map<std::string, repo::FileType> kTypes{
    {"snapshots", repo::FileType::Snapshot}, {"packs", repo::FileType::Pack},
    {"index", repo::FileType::Index},        {"keys", repo::FileType::Key},
    {"locks", repo::FileType::Lock},
};

Result<int> print_blobs(Session& session) {
  repo::Indexed* index = HF_TRY(session.open_index(LockKind::Shared));
  index->each([&](repo::BlobType type, const repo::Id& id, const repo::Location&) {
    session.out().line(
        fmt::format("{} {}", type == repo::BlobType::Tree ? "tree" : "data", id.hex()));
  });
  return kDone;
}

Result<int> print_ids(const std::string& type, Session& session) {
  if (type == "blobs") return print_blobs(session);
  // Locks are looked at most when one stands in the way.
  const LockKind lock = type == "locks" ? LockKind::None : LockKind::Shared;
  repo::Opened* repository = HF_TRY(session.open(lock));
  const std::vector<repo::Id> ids = HF_TRY(repository->list(kTypes.at(type)));
  for (const repo::Id& id : ids) session.out().line(id.hex());
  return kDone;
}

}  // namespace

void add_list(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("list", "lists ids");
  auto type = std::make_shared<std::string>();
  verb->add_option("type", *type, "snapshots, packs, index, keys, locks or blobs")
      ->required()
      ->check(CLI::IsMember({"snapshots", "packs", "index", "keys", "locks", "blobs"}));
  verbs.run(verb, [type](Session& session) { return print_ids(*type, session); });
}

}  // namespace holdfast::cli
