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
/// Commands that are still owed, by container, in the order in which `owed` has them.
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

/// The window of a run, and the last try of what it left owed, as the run's object records them.
struct WindowSeen {
  std::optional<control::OperationRecord> window{}, release{};
  std::optional<WindowResult> window_result{};  ///< none of an operator that died in its window
};
WindowSeen window_seen(const model::Value& object);

/// How long what was left in the containers may still act. A guard that was not sent home runs the
/// post actions once more at its deadline, for a command that was under way, and a run that began
/// before that would lose its lock to it; a session that nobody can reach holds its own until then.
/// Nothing when all have gone.
std::optional<std::chrono::milliseconds> guards_act_for(const CutInputs& inputs,
                                                        const WindowSeen& seen, WallTime now);

/// The pods that a run keeps for itself, by its object's state, inputs, consistency, owed and
/// operations: from the record of its window on, which stands before the first command, until the
/// window is closed and told, nothing is owed, and no guard may act any more.
std::vector<PodRecord> pods_kept(const model::Value& object, WallTime now);

}  // namespace holdfast::protect
