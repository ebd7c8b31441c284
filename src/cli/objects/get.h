/// `holdfast get`, also for the commands that list one kind.
#pragma once

#include <holdfast/cli/server.h>
#include <holdfast/kube/resource.h>

#include <string>
#include <vector>

namespace holdfast::cli {

struct GetOptions {
  ServerChoice server{};
  std::vector<std::string> words{};
  bool all_namespaces = false, watch = false, no_headers = false;
  std::string labels{}, fields{}, output{};
  const kube::Resource* only = nullptr;  ///< of ours, which the words name
};

/// All flags but the words.
void add_get_options(CLI::App& command, GetOptions& options);
/// The exit code; what failed is said on standard error.
int run_get(const GetOptions& options);

/// A subcommand `list` that gets one of our kinds.
void add_list_command(CLI::App& app, const kube::Resource& kind, const std::string& help,
                      int& code);

}  // namespace holdfast::cli
