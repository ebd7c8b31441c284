/// Invariants of volume groups, as invariants.h names them. What is broken, or nothing.
#pragma once

#include "world/history.h"

#include <optional>

namespace holdfast::sim {

std::optional<std::string> volumes_kept(const History& history, const Commit& commit);
std::optional<std::string> one_cut(const History& history, const Commit& commit);
std::optional<std::string> log_put_back(const History& history, const Commit& commit);

}  // namespace holdfast::sim
