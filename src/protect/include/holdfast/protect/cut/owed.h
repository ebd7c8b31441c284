/// Post actions after a window: those still owed to the quiesced pods, and when the next try of it
/// is due. Pure.
#pragma once

#include <holdfast/control/operation.h>
#include <holdfast/protect/cut/window.h>

namespace holdfast::protect {

/// Of an operator that died in its window: nobody knows what was tried.
WindowResult interrupted_window();
/// All post actions of all pods.
std::vector<Owed> all_owed(const CutInputs& inputs);
/// Commands that are still owed, by container.
std::vector<QuiesceTarget> owed_targets(const CutInputs& inputs, const std::vector<Owed>& owed);
/// Of the condition QuiesceLeaked; "" if nothing is owed.
std::string leak_text(const std::vector<Owed>& owed);

struct NextRelease {
  enum class Kind {
    Try,   ///< with `attempt`
    Tell,  ///< the last try left `left` owed
    Wait,  ///< `again`, until the next try
  } kind = Kind::Try;
  int64_t attempt = 1;
  std::vector<Owed> left{};
  std::chrono::milliseconds again{0};
};
NextRelease next_release(const std::optional<control::OperationRecord>& last,
                         const std::vector<Owed>& owed, WallTime now);

/// How long a guard that was not sent home may still act: at its deadline it runs the post actions
/// once more, for a command that was under way, and a run that began before that would lose its
/// lock to it. Nothing when all have gone.
std::optional<std::chrono::milliseconds> guards_act_for(
    const CutInputs& inputs, const control::OperationRecord& window,
    const std::optional<WindowResult>& result,
    const std::optional<control::OperationRecord>& release, WallTime now);

}  // namespace holdfast::protect
