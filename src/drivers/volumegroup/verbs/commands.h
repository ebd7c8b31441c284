/// `holdfast group` in its parts, and how its kinds are described.
#pragma once

#include <holdfast/cli/verbs.h>

#include <string>
#include <vector>

namespace holdfast::drivers::volumegroup {

/// Of commands that only look, or take something away.
inline constexpr const char* kCodes =
    "Exit codes: 0 done, 1 failed, 2 usage, 10 not found, 12 denied.";

void add_group_command(CLI::App& app, int& code);
void add_list_command(CLI::App& group, int& code);
void add_describe_command(CLI::App& group, int& code);
void add_logs_command(CLI::App& group, int& code);
void add_revert_command(CLI::App& group, int& code);
void add_restore_command(CLI::App& group, int& code);

/// VolumeGroup and VolumeGroupAction.
std::vector<cli::DescribedKind> described_kinds();

}  // namespace holdfast::drivers::volumegroup
