/// Waits for the conditions of an object.
#pragma once

#include <holdfast/cli/server.h>

#include <functional>
#include <optional>
#include <string>

namespace holdfast::cli {

/// How a wait ended; the exit codes that it means.
enum class Verdict : int { Good = 0, Bad = 1, Unknown = 3 };

struct Judgement {
  Verdict verdict = Verdict::Unknown;
  std::string said{};  ///< for people
};

/// What an object tells; nothing while it is not yet said.
using Judge = std::function<std::optional<Judgement>(const model::Value& object)>;

/// The location can be used, or why not; by the condition Available of its own generation.
std::optional<Judgement> judge_location(const model::Value& location);

/// Looks until the judge has something to say or the time is over, which is Unknown with what is
/// known: the conditions.
kube::Reply<Judgement> wait_for(Server& server, const kube::Resource& resource,
                                const std::string& name, std::chrono::seconds limit,
                                const Judge& judge);

/// Says it of the object so named, and gives the exit code.
int tell(const std::string& name, const Judgement& judged);

}  // namespace holdfast::cli
