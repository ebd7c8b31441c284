/// One thing that goes wrong with a stored repository, drawn by chance.
#pragma once

#include "engine-corrupt/world.h"

namespace holdfast::campaign {

struct Corruption {
  std::string what{};                ///< for people
  std::vector<Place> touched{};      ///< bytes that are no longer what they were
  std::set<NeededBlob> misled{};     ///< blobs of which the index now says something wrong
  std::vector<std::string> names{};  ///< one of these must be named by check: ids
  bool each_named = false;           ///< not one of them: all
  bool silent = false;               ///< nothing is at risk: a hint is enough
};

/// Applied to the world's store.
Corruption corrupt(World& world, SeededRandom& chance);

}  // namespace holdfast::campaign
