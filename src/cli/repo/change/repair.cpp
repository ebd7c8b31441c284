// `repair index|snapshots`: what can be saved of a damaged repository.
#include <holdfast/base/text.h>
#include <holdfast/repo/repair.h>

#include "repo/choice.h"
#include "repo/print/json_object.h"
#include "repo/print/progress.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {
namespace {

Result<int> repair_index(const repo::RepairIndexOptions& options, Session& session) {
  repo::Opened* repository = HF_TRY(
      session.open(options.dry_run ? LockKind::None : LockKind::Exclusive, Copies::PassedOver));
  Output& out = session.out();
  Progress progress(session);
  Result<repo::RepairIndexResult> done = repo::repair_index(
      *repository, options,
      [&](uint64_t so_far, uint64_t all) {
        if (!out.json() && progress.due()) progress.items(so_far, all, "packs looked at");
      },
      session.stop());
  progress.clear();
  if (!done) return done.take_error();
  for (const std::string& damaged : done->damaged_indexes) out.warn("damaged: " + damaged);
  for (const auto& [id, why] : done->unreadable)
    out.warn(fmt::format("pack {} cannot be read and is in no index: {}", id.hex(), why));
  if (out.json()) {
    JsonObject line;
    line.text("message_type", "summary").number("packs", done->packs);
    line.number("packs_added", done->packs_added).number("packs_missing", done->packs_missing);
    line.number("packs_unreadable", done->unreadable.size()).flag("changed", done->changed);
    out.line(line.take());
    return kDone;
  }
  out.remark(fmt::format("{} packs: {} were in no index, {} are missing", done->packs,
                         done->packs_added, done->packs_missing));
  out.remark(!done->changed    ? "the index is as it should be"
             : options.dry_run ? "dry run: the index would be written anew"
                               : "the index was written anew");
  return kDone;
}

struct RepairSnapshotsFlags {
  Choice choice{};
  std::vector<std::string> names{};
  repo::RepairSnapshotsOptions engine{};
};

void print_repaired(Output& out, const repo::RepairedSnapshot& one) {
  if (out.json()) {
    JsonObject line;
    line.text("message_type", "repaired").text("old_snapshot_id", one.old.hex());
    if (one.now) line.text("new_snapshot_id", one.now->id.hex());
    out.line(line.texts("losses", one.losses).take());
    return;
  }
  out.remark(one.now ? fmt::format("snapshot {} lacks something; what is left of it is {}",
                                   short_id(one.old), short_id(one.now->id))
                     : fmt::format("snapshot {} lacks something", short_id(one.old)));
  for (const std::string& loss : one.losses) out.remark("  " + harmless_line(loss));
}

Result<int> repair_snapshots(const RepairSnapshotsFlags& flags, Session& session) {
  repo::Indexed* index =
      HF_TRY(session.open_index(flags.engine.dry_run ? LockKind::None : LockKind::Exclusive));
  const std::vector<repo::Snapshot> snapshots =
      HF_TRY(choose(session, index->repository(), flags.choice, flags.names));
  const std::vector<repo::RepairedSnapshot> repaired =
      HF_TRY(repo::repair_snapshots(*index, snapshots, flags.engine));
  for (const repo::RepairedSnapshot& one : repaired) print_repaired(session.out(), one);
  if (session.out().json())
    session.out().line(JsonObject()
                           .text("message_type", "summary")
                           .number("changed_snapshots", repaired.size())
                           .take());
  else
    session.out().remark(repaired.empty() ? "no snapshots were modified"
                         : flags.engine.dry_run
                             ? fmt::format("dry run: {} snapshots would change", repaired.size())
                             : fmt::format("modified {} snapshots", repaired.size()));
  return kDone;
}

}  // namespace

void add_repair(RepoVerbs& verbs) {
  CLI::App* repair = verbs.add("repair", "repairs what can be repaired")->require_subcommand(1);
  CLI::App* index = repair->add_subcommand("index", "writes the index anew")->fallthrough();
  auto of_index = std::make_shared<repo::RepairIndexOptions>();
  index->add_flag("--read-all-packs", of_index->read_all_packs,
                  "ignores the index and reads all packs");
  index->add_flag("-n,--dry-run", of_index->dry_run, "changes nothing, prints what would change");
  verbs.run(index, [of_index](Session& session) { return repair_index(*of_index, session); });

  CLI::App* snapshots =
      repair->add_subcommand("snapshots", "snapshots without what is gone")->fallthrough();
  auto flags = std::make_shared<RepairSnapshotsFlags>();
  add_choice(snapshots, flags->choice);
  snapshots->add_option("ids", flags->names, "snapshots; without any: all that match");
  snapshots->add_flag("--forget", flags->engine.forget, "removes the damaged ones");
  snapshots->add_flag("-n,--dry-run", flags->engine.dry_run,
                      "changes nothing, prints what would change");
  verbs.run(snapshots, [flags](Session& session) { return repair_snapshots(*flags, session); });
}

}  // namespace holdfast::cli
