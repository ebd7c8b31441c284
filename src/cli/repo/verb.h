/// How a verb is told to the command line, and run.
#pragma once

#include "repo/session.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>

namespace holdfast::cli {

/// Where verbs are added.
struct Verbs {
  CLI::App& app;
  std::shared_ptr<Settings> settings;
  int& code;

  /// `work` returns the exit code. Its options are read when all of the command line has been.
  void run(CLI::App* verb, std::function<Result<int>(Session&)> work);
  CLI::App* add(const std::string& name, const std::string& help);
};

void add_init(Verbs& verbs);
void add_key(Verbs& verbs);
void add_cat(Verbs& verbs);
void add_list(Verbs& verbs);
void add_snapshots(Verbs& verbs);
void add_ls(Verbs& verbs);
void add_find(Verbs& verbs);
void add_dump(Verbs& verbs);
void add_diff(Verbs& verbs);
void add_stats(Verbs& verbs);
void add_tag(Verbs& verbs);
void add_unlock(Verbs& verbs);
void add_backup(Verbs& verbs);
void add_check(Verbs& verbs);
void add_forget(Verbs& verbs);
void add_restore(Verbs& verbs);
void add_repair(Verbs& verbs);
void add_prune(Verbs& verbs);

}  // namespace holdfast::cli
