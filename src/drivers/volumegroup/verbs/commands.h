/// `holdfast group` in its parts, and how its kinds are described.
#pragma once

#include <holdfast/cli/verbs.h>

#include <string>
#include <vector>

namespace holdfast::drivers::volumegroup {

void add_group_command(CLI::App& app, int& code);
void add_revert_command(CLI::App& group, int& code);
void add_restore_command(CLI::App& group, int& code);

/// VolumeGroup and VolumeGroupAction.
std::vector<cli::DescribedKind> described_kinds();

struct ListOptions {
  cli::ServerChoice server{};
  std::string group{}, location{}, output{};
  bool all_namespaces = false, no_headers = false;
  int64_t limit = 100;
};
/// `holdfast group list`: the actions of a namespace.
Result<int> list_group_actions(const ListOptions& options);
/// With --location: the catalogues in it; 3 if some cannot be read, or there are more.
Result<int> list_location(const ListOptions& options);

/// `holdfast group logs`: what happened to an action, and what its movers say.
Result<int> show_action_logs(const cli::ServerChoice& choice, const std::string& name,
                             int64_t tail);

/// What a snapshot or backup would do, asked of the operator itself. The exit code.
Result<int> show_dry_run(cli::Server& server, const std::string& group, const std::string& action);

}  // namespace holdfast::drivers::volumegroup
