/// `holdfast describe`: an object, its state and its events, as text.
#pragma once

#include <holdfast/cli/describe.h>

#include <string>
#include <vector>

namespace holdfast::cli {

struct DescribeOptions {
  ServerChoice server{};
  std::vector<std::string> words{};
  std::string labels{};
  std::vector<DescribedKind> kinds{};    ///< of drivers
  const kube::Resource* only = nullptr;  ///< of ours, which the words name
};

/// The exit code; what failed is said on standard error.
int run_describe(const DescribeOptions& options);

/// A subcommand `describe` for one of our kinds.
void add_describe_one(CLI::App& app, const kube::Resource& kind, const std::string& help,
                      int& code);

/// The whole text. `events` are those about the object, `kinds` those of drivers.
std::string description(const model::Value& object, const model::Array& events,
                        const Beside& beside, const std::vector<DescribedKind>& kinds);

// The kinds that are described whatever the drivers are.
void describe_pod(const model::Value& pod, Sheet& sheet, const Beside& beside);
void describe_claim(const model::Value& claim, Sheet& sheet, const Beside& beside);
void describe_move(const model::Value& move, Sheet& sheet, const Beside& beside);
void describe_location(const model::Value& location, Sheet& sheet, const Beside& beside);
void describe_repository(const model::Value& repository, Sheet& sheet, const Beside& beside);

}  // namespace holdfast::cli
