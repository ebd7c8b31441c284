#include "faults/minimise.h"

#include <algorithm>

namespace holdfast::sim {

std::vector<Mishap> minimise(std::vector<Mishap> faults,
                             const std::function<bool(const std::vector<Mishap>&)>& fails) {
  size_t parts = 2;
  while (faults.size() > 1) {
    const size_t size = (faults.size() + parts - 1) / parts;
    bool smaller = false;
    for (size_t from = 0; from < faults.size() && !smaller; from += size) {
      std::vector<Mishap> rest;
      for (size_t i = 0; i < faults.size(); ++i)
        if (i < from || i >= from + size) rest.push_back(faults[i]);
      if (!fails(rest)) continue;
      faults = std::move(rest);
      parts = std::max<size_t>(2, parts - 1);
      smaller = true;
    }
    if (smaller) continue;
    if (size == 1) break;
    parts = std::min(faults.size(), parts * 2);
  }
  // One that is left may be innocent too: the schedule alone may have failed.
  if (faults.size() == 1 && fails({})) faults.clear();
  return faults;
}

}  // namespace holdfast::sim
