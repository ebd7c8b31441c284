/// Damage of a repository, told from a store that fails.
#pragma once

#include <holdfast/base/result.h>

namespace holdfast::repo {

/// What is asked for is not there or not whole: the rest can still be read.
inline bool is_damage(const Error& error) {
  return error.fault() == Fault::Corrupt || error.fault() == Fault::NotFound;
}

inline Error folder_without_tree() { return {Fault::Corrupt, "a directory without a tree"}; }

}  // namespace holdfast::repo
