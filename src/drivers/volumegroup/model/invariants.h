/// Invariants of volume groups, checked after every commit. What is broken, or nothing.
#pragma once

#include <holdfast/sim/history.h>

#include <optional>
#include <string>

namespace holdfast::drivers::volumegroup {

/// volumes-kept: no volume is deleted that a claim of a person, or of a restore, has had.
std::optional<std::string> volumes_kept(const sim::History& history, const sim::Commit& commit);
/// one-cut: no claim is ever cut twice for one action of a group.
std::optional<std::string> one_cut(const sim::History& history, const sim::Commit& commit);
/// log-put-back: no claim of a restore is there before the log of its server was put back, and that
/// never happens twice.
std::optional<std::string> log_put_back(const sim::History& history, const sim::Commit& commit);

}  // namespace holdfast::drivers::volumegroup
