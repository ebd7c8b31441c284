/// Registration of a verb with the command line, and its run.
#pragma once

#include "repo/session.h"

#include <functional>
#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace holdfast::cli {

/// Where verbs are added.
struct RepoVerbs {
  CLI::App& app;
  std::shared_ptr<Settings> settings;
  int& code;

  /// `work` returns the exit code, or an error when it was asked to stop before all was done. Its
  /// options are read when all of the command line has been.
  void run(CLI::App* verb, std::function<Result<int>(Session&)> work);
  CLI::App* add(const std::string& name, const std::string& help);
};

void add_init(RepoVerbs& verbs);
void add_key(RepoVerbs& verbs);
void add_cat(RepoVerbs& verbs);
void add_list(RepoVerbs& verbs);
void add_snapshots(RepoVerbs& verbs);
void add_ls(RepoVerbs& verbs);
void add_find(RepoVerbs& verbs);
void add_dump(RepoVerbs& verbs);
void add_diff(RepoVerbs& verbs);
void add_stats(RepoVerbs& verbs);
void add_tag(RepoVerbs& verbs);
void add_unlock(RepoVerbs& verbs);
void add_backup(RepoVerbs& verbs);
void add_check(RepoVerbs& verbs);
void add_forget(RepoVerbs& verbs);
void add_restore(RepoVerbs& verbs);
void add_repair(RepoVerbs& verbs);
void add_prune(RepoVerbs& verbs);

}  // namespace holdfast::cli
