/// Orphans of moves: objects that a move has made elsewhere, and that are left when the move itself
/// is gone. Who may write a DataMove may take its finalizer off; its Mover stays, and by that the
/// rest is found.
#pragma once

#include <holdfast/control/reconciler.h>

#include <optional>
#include <string_view>

namespace holdfast::protect {

/// Movers by NAMESPACE/NAME of their move.
inline constexpr std::string_view kByMoveName = "data-move-name";
kube::IndexFunction by_move_name();

/// The next step of clearing away after moves of the pass's key that are not `living_uid`; nothing
/// when nothing is left of them.
Result<std::optional<control::Outcome>> clear_orphans(control::Pass& pass,
                                                      std::string_view living_uid);

}  // namespace holdfast::protect
