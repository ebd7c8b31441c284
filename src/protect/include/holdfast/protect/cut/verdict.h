/// Verdict on a cut: its consistency for the application. Never guessed: what the operator did not
/// see is Unknown. Pure.
#pragma once

#include <holdfast/protect/cut/window.h>

namespace holdfast::protect {

/// Until the log that the cuts need is kept too.
inline constexpr const char* kLogPending = "LogPending";

enum class Consistency { Application, Crash, Unknown };
constexpr auto words(Consistency) {
  return std::array{std::pair{Consistency::Application, "Application"},
                    std::pair{Consistency::Crash, "Crash"},
                    std::pair{Consistency::Unknown, "Unknown"}};
}

struct Verdict {
  Consistency consistency = Consistency::Unknown;
  std::string reason{}, message{};
};

Verdict judge(const CutInputs& inputs, const WindowResult& window);

}  // namespace holdfast::protect
