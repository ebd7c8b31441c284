/// The run of an action: what it was made for. Pure.
#pragma once

#include "action/plan.h"

namespace holdfast::drivers::volumegroup {

control::Outcome plan_run(const ActionSeen& seen);
/// The window is over, and what it asked for was cut.
bool cut_succeeded(const ActionSeen& seen);
/// Whether the next decision is about snapshots. Uploads and restores go by their names alone.
bool needs_snapshots(const ActionSeen& seen);
/// What is still to be done before anything else may: an open window, posts that are owed. Nothing
/// if all goes on as it did before.
std::optional<control::Outcome> settle_debts(const ActionSeen& seen);
/// Whether the run has begun to put something into its repository.
bool holds_backup(const VolumeGroupAction::Status& status);
/// Removes its data moves, so that none of them brings anything any more. Nothing if they are gone.
std::optional<control::Outcome> clear_moves(const ActionSeen& seen);
/// Then what else the run made on the cluster; the snapshots only if asked to.
std::optional<control::Outcome> clear_run(const ActionSeen& seen, bool snapshots);

}  // namespace holdfast::drivers::volumegroup
