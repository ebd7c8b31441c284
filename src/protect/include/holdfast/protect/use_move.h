/// DataMoves made by another controller: observing, making and removing them.
#pragma once

#include <holdfast/control/made_for.h>
#include <holdfast/control/refusal.h>
#include <holdfast/kube/informer.h>
#include <holdfast/protect/data_move.h>

#include <optional>
#include <string_view>

namespace holdfast::protect {

/// Whether more than its progress changed of a DataMove. Movers write progress every second, and
/// no decision hangs on it: a watch with this predicate is not woken by it.
bool beyond_progress(const kube::Change& change);

/// Watches the DataMoves that a controller makes for its objects; their progress does not wake it.
void watch_moves(control::ControllerSpec& spec, control::Mapper owner);

/// Completed, Failed or Canceled.
bool is_over(const DataMove::Status& status);

/// Name of the repository that a move of that namespace is about.
std::string repository_of(const DataMove& move, const std::string& ns);

struct UsedMove {
  kube::Cached object{};
  DataMove move{};
  bool is_over() const { return protect::is_over(move.status); }
  bool completed() const { return move.status.phase == DataMove::Phase::Completed; }
  /// Fields in which it does something else than `wished`: who made it believes nothing of it then.
  std::vector<std::string> unlike(const DataMove& wished) const;
  /// Of a move that failed.
  control::Refusal trouble() const;
  /// Why what a move that is over says is not believed, or what it failed for; no reason if it is
  /// good.
  control::Refusal trouble(const DataMove& wished) const;
};

/// From the cache; nothing if it is not there, or was made for another owner.
std::optional<UsedMove> see_move(control::Pass& pass, const control::Mark& mark,
                                 std::string_view owner_uid, std::string_view ns,
                                 std::string_view name);
/// `metadata` as control::made_metadata makes it.
control::Write make_move(const DataMove& move, model::Object metadata);
control::Write remove_move(const UsedMove& move);

}  // namespace holdfast::protect
