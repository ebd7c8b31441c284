/// Programs that the world itself knows: the scripts of `protect`, and commands that scenarios give
/// as pre and post actions.
///
///   sim lock, sim unlock     take the pod's lock, let it go
///   sim lock-hang            takes it and never ends
///   sim lock-late            takes it after three seconds
///   sim hold                 a session: holds it while its input lasts
///
/// Anything else ends at once, well.
#pragma once

#include <holdfast/sim/container.h>

namespace holdfast::sim {

std::unique_ptr<Program> command_program(const Command& command);

/// 0 if it is no number.
int number_in(std::string_view text);

}  // namespace holdfast::sim
