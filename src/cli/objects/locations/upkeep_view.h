/// Check and prune of a repository on request: the request, and the wait for its end.
#pragma once

#include "objects/locations/waiting.h"

namespace holdfast::cli {

/// Set by who wants it done, taken away by who does it.
inline constexpr std::string_view kRunAnnotation = "holdfast.dev/run";

enum class Upkeep { Check, Prune };
/// "check", "prune": the annotation's value.
std::string_view word_of(Upkeep upkeep);

/// What the repository tells of an upkeep that was asked for when it was like `before`: it is over
/// when nobody asks for it any more and nothing runs, after it ran or the time of the last one has
/// moved. How it went is what the condition Checked or Pruned says.
Judge judge_upkeep(const model::Value& before, Upkeep upkeep);

}  // namespace holdfast::cli
