/// Whether a cut is what the application would call consistent. Never guessed: what the operator
/// did not see is Unknown. Pure.
#pragma once

#include "window/window.h"

namespace holdfast::drivers::volumegroup {

/// Until the log that the cuts need is kept too.
inline constexpr const char* kLogPending = "LogPending";

struct Verdict {
  Consistency consistency = Consistency::Unknown;
  std::string reason{}, message{};
};

Verdict judge(const Frozen& frozen, const WindowResult& window);

}  // namespace holdfast::drivers::volumegroup
