// `tag`: snapshots with other tags. A snapshot is named by its bytes, so each becomes a new one.
#include <holdfast/repo/forget.h>

#include "repo/choice.h"
#include "repo/print/json_object.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {
namespace {

struct TagOptions {
  Choice choice{};
  std::vector<std::string> names{}, add{}, remove{}, set{};
};

std::vector<std::string> tags_in(const std::vector<std::string>& lists) {
  std::vector<std::string> out;
  for (const std::string& list : lists)
    for (std::string& tag : tag_set(list))
      if (!tag.empty()) out.push_back(std::move(tag));
  return out;
}

Result<bool> change(repo::Opened& repository, const repo::Snapshot& snapshot,
                    const repo::TagChange& change, Output& out) {
  const std::optional<repo::Snapshot> fresh =
      HF_TRY(repo::change_tags(repository, snapshot, change));
  if (!fresh) return false;
  if (out.json())
    out.line(JsonObject()
                 .text("message_type", "changed")
                 .text("old_snapshot_id", snapshot.id.hex())
                 .text("new_snapshot_id", fresh->id.hex())
                 .take());
  else if (out.verbose() > 0)
    out.remark(fmt::format("snapshot {} is now {}", short_id(snapshot.id), short_id(fresh->id)));
  return true;
}

Result<int> change_all(const TagOptions& options, Session& session) {
  if (options.add.empty() && options.remove.empty() && options.set.empty())
    return Error(Fault::Invalid, "tag: nothing to do").with_hint("give --add, --remove or --set");
  if (!options.set.empty() && !(options.add.empty() && options.remove.empty()))
    return Error(Fault::Invalid, "--set goes with neither --add nor --remove");
  repo::Opened* repository = HF_TRY(session.open(LockKind::Exclusive));
  const std::vector<repo::Snapshot> snapshots =
      HF_TRY(choose(session, *repository, options.choice, options.names));
  repo::TagChange wanted{{}, tags_in(options.add), tags_in(options.remove)};
  if (!options.set.empty()) wanted.set = tags_in(options.set);
  uint64_t count = 0;
  for (const repo::Snapshot& snapshot : snapshots) {
    if (session.stop().stop_requested())
      return Error(Fault::Unavailable, fmt::format("tag: stopped after {} snapshots", count));
    const bool did = HF_TRY(change(*repository, snapshot, wanted, session.out()));
    count += did ? 1 : 0;
  }
  if (session.out().json())
    session.out().line(
        JsonObject().text("message_type", "summary").number("changed_snapshots", count).take());
  else
    session.out().remark(fmt::format("modified {} snapshots", count));
  return kDone;
}

}  // namespace

void add_tag(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("tag", "changes the tags of snapshots");
  auto options = std::make_shared<TagOptions>();
  add_choice(verb, options->choice);
  verb->add_option("ids", options->names, "snapshots; without any: all that match");
  verb->add_option("--add", options->add, "tags to add: a,b")->allow_extra_args(false);
  verb->add_option("--remove", options->remove, "tags to take away")->allow_extra_args(false);
  verb->add_option("--set", options->set, "tags in place of those there are")
      ->allow_extra_args(false);
  verbs.run(verb, [options](Session& session) { return change_all(*options, session); });
}

}  // namespace holdfast::cli
