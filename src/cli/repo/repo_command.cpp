#include "repo/repo_command.h"

#include <holdfast/base/memory.h>
#include <holdfast/cli/interrupts.h>

#include "repo/verb.h"

#include <CLI/CLI.hpp>

namespace holdfast::cli {
namespace {

int run_verb(Settings& settings, const std::function<Result<int>(Session&)>& work) {
  give_back_large_blocks();
  const Interrupts interrupts;
  Output out(settings);
  const Result<void> environment = read_environment(settings);
  if (!environment) {
    out.fail(environment.error(), kFailed);
    return kFailed;
  }
  Session session(settings, out, interrupts.token());
  const Result<int> code = work(session);
  session.release();
  // All that was asked for is done: a signal that came too late has ended nothing.
  if (code) return *code;
  if (interrupts.seen()) return kInterrupted;
  // Who stopped reading needs no message.
  if (!out.closed()) out.fail(code.error(), session.code());
  return session.code();
}

}  // namespace

void RepoVerbs::run(CLI::App* verb, std::function<Result<int>(Session&)> work) {
  verb->callback([settings = settings, &result = code, work = std::move(work)] {
    result = run_verb(*settings, work);
  });
}

CLI::App* RepoVerbs::add(const std::string& name, const std::string& help) {
  return app.add_subcommand(name, help)->fallthrough();
}

void add_repo_command(CLI::App& app, int& code) {
  CLI::App* repo = app.add_subcommand("repo", "deduplicating, encrypted backups: restic's format");
  auto settings = std::make_shared<Settings>();
  add_settings(*repo, *settings);
  repo->require_subcommand(1);
  repo->footer(
      "Exit codes: 0 done, 1 failed, 2 usage, 3 backup or restore incomplete, 10 no repository,\n"
      "11 locked, 12 wrong password, 130 interrupted.");
  RepoVerbs verbs{*repo, settings, code};
  add_init(verbs);
  add_backup(verbs);
  add_restore(verbs);
  add_forget(verbs);
  add_prune(verbs);
  add_check(verbs);
  add_repair(verbs);
  add_key(verbs);
  add_snapshots(verbs);
  add_ls(verbs);
  add_find(verbs);
  add_dump(verbs);
  add_diff(verbs);
  add_stats(verbs);
  add_tag(verbs);
  add_unlock(verbs);
  add_cat(verbs);
  add_list(verbs);
}

}  // namespace holdfast::cli
