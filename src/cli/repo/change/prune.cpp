#include "repo/change/prune.h"

#include <holdfast/cli/words.h>

#include "repo/print/json_object.h"
#include "repo/print/progress.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {
namespace {

std::string_view noun_of(repo::PruneProgress::Stage stage) {
  switch (stage) {
    case repo::PruneProgress::Stage::Index:
      return "indexes";
    case repo::PruneProgress::Stage::Trees:
      return "trees";
    case repo::PruneProgress::Stage::Repack:
      return "packs copied";
    case repo::PruneProgress::Stage::Delete:
      return "files deleted";
  }
  return "";
}

Result<repo::PruneOptions> prune_options(const PruneFlags& flags, const Session& session) {
  repo::PruneOptions out = flags.engine;
  const Settings& settings = session.settings();
  if (!flags.max_repack.empty())
    out.max_repack_bytes = HF_TRY(parse_size("--max-repack-size", flags.max_repack));
  if (!flags.keep_delete.empty())
    out.keep_delete = HF_TRY(parse_duration("--keep-delete", flags.keep_delete));
  if (!settings.pack_size.empty())
    out.pack_size = HF_TRY(parse_size("--pack-size", settings.pack_size)) << 20;
  if (!settings.retry_lock.empty())
    out.retry_for = HF_TRY(parse_duration("--retry-lock", settings.retry_lock));
  return out;
}

struct Sum {
  uint64_t packs = 0, bytes = 0, unused = 0;
};
Sum sum_of(const std::vector<repo::PrunePlan::Pack>& packs) {
  Sum out;
  for (const repo::PrunePlan::Pack& pack : packs) {
    ++out.packs;
    out.bytes += pack.size;
    out.unused += pack.unused;
  }
  return out;
}

void print_plan(Output& out, const repo::PrunePlan& plan) {
  const auto line = [&out](std::string_view name, const Sum& sum) {
    if (sum.packs > 0)
      out.remark(fmt::format("{:<22}{:6} packs / {}", name, sum.packs, size_text(sum.bytes)));
  };
  out.remark("");
  line("to copy together:", sum_of(plan.repack));
  line("not needed any more:", sum_of(plan.drop));
  line("in no index:", sum_of(plan.orphans));
  line("marked, to delete:", sum_of(plan.due));
  line("marked, waiting:", sum_of(plan.waiting));
  line("needed again:", sum_of(plan.revive));
  out.remark(fmt::format("{:<22}{:6} packs", "as they are:", plan.packs_kept));
  out.remark(fmt::format("{:<22}{} of {}", "not needed, after it:", size_text(plan.unused_after),
                         size_text(plan.used + plan.unused_after)));
  out.remark("");
}

std::string plan_json(const repo::PrunePlan& plan) {
  JsonObject line;
  line.text("message_type", "plan");
  const auto add = [&line](std::string_view name, const Sum& sum) {
    line.raw(name, JsonObject().number("packs", sum.packs).number("bytes", sum.bytes).take());
  };
  add("repack", sum_of(plan.repack));
  add("drop", sum_of(plan.drop));
  add("orphans", sum_of(plan.orphans));
  add("due", sum_of(plan.due));
  add("waiting", sum_of(plan.waiting));
  add("revive", sum_of(plan.revive));
  line.number("packs_kept", plan.packs_kept).number("used_bytes", plan.used);
  line.number("unused_bytes", plan.unused).number("unused_bytes_after", plan.unused_after);
  return line.take();
}

void print_result(Output& out, const repo::PruneResult& result) {
  if (out.json()) {
    JsonObject line;
    line.text("message_type", "summary").number("packs_written", result.packs_written);
    line.number("bytes_written", result.bytes_written);
    line.number("packs_marked", result.packs_marked);
    line.number("packs_deleted", result.packs_deleted);
    line.number("bytes_deleted", result.bytes_deleted);
    out.line(line.number("packs_revived", result.packs_revived).take());
    return;
  }
  out.remark(fmt::format("wrote {} packs ({}), deleted {} ({}), marked {} for later",
                         result.packs_written, size_text(result.bytes_written),
                         result.packs_deleted, size_text(result.bytes_deleted),
                         result.packs_marked));
  if (result.packs_revived > 0)
    out.remark(fmt::format("took back {} packs that are needed again", result.packs_revived));
}

}  // namespace

LockKind prune_lock(const PruneFlags& flags) {
  if (flags.dry_run) return LockKind::None;
  return flags.engine.instant ? LockKind::Exclusive : LockKind::Shared;
}

Result<int> prune(Session& session, repo::Opened& repository, const PruneFlags& flags) {
  repo::PruneOptions options = HF_TRY(prune_options(flags, session));
  options.scratch.folder = session.cache_folder(repository.config().id);
  Output& out = session.out();
  Progress progress(session);
  const auto tell = [&](const repo::PruneProgress& now) {
    if (!out.json() && progress.due())
      progress.items(now.done, now.all, std::string(noun_of(now.stage)));
  };
  Result<std::unique_ptr<repo::PlannedPrune>> planned =
      repo::plan_prune(repository, options, tell, session.stop());
  progress.clear();
  if (!planned) return planned.take_error();
  if (out.json())
    out.line(plan_json((*planned)->plan()));
  else
    print_plan(out, (*planned)->plan());
  if (flags.dry_run) {
    out.remark("dry run: nothing was changed");
    return kDone;
  }
  if (session.held_lock() == nullptr)
    return Error(Fault::Invalid, "prune needs a lock").with_hint("leave --no-lock out");
  Result<repo::PruneResult> done =
      (*planned)->carry_out(*session.held_lock(), tell, session.stop());
  progress.clear();
  // Somebody came while it was planned.
  if (!done && done.error().fault() == Fault::Conflict) session.set_code(kLocked);
  if (!done) return done.take_error();
  print_result(out, *done);
  return kDone;
}

void add_prune_flags(CLI::App* verb, PruneFlags& flags) {
  repo::PruneOptions& engine = flags.engine;
  verb->add_option("--max-unused", engine.max_unused,
                   "unneeded data that may stay: 5%, 10G, unlimited")
      ->capture_default_str();
  verb->add_option("--max-repack-size", flags.max_repack, "copy no more than this");
  verb->add_flag("--repack-cacheable-only", engine.repack_cacheable_only, "copy trees only");
  verb->add_flag("--repack-small", engine.repack_small, "copy small packs together");
  verb->add_flag("--repack-uncompressed", engine.repack_uncompressed, "compress what is not");
  verb->add_option("--keep-delete", flags.keep_delete,
                   "time that marked packs wait before they are deleted; default 23h");
  verb->add_flag("--instant", engine.instant,
                 "deletes at once, under an exclusive lock, as restic does");
}

void add_prune(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("prune", "removes what no snapshot needs, beside writers");
  auto flags = std::make_shared<PruneFlags>();
  add_prune_flags(verb, *flags);
  verb->add_flag("-n,--dry-run", flags->dry_run, "changes nothing, prints the plan");
  verbs.run(verb, [flags](Session& session) -> Result<int> {
    repo::Opened* repository = HF_TRY(session.open(prune_lock(*flags)));
    return prune(session, *repository, *flags);
  });
}

}  // namespace holdfast::cli
