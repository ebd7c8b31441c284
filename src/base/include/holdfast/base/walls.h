/// Walls: checks between an attacker and what is not theirs, each with a name, so that a test can
/// take one away and show that the attack then succeeds. SECURITY.md lists them.
#pragma once

#include <string_view>

namespace holdfast {

/// True in every program that ships, whatever it is given. Only the program of tests/walls brings
/// another definition (breach.cpp), which the linker takes in place of this room's.
bool wall_stands(std::string_view name);

}  // namespace holdfast
