#include "locations/marker_verdict.h"

#include <holdfast/base/walls.h>

namespace holdfast::protect {

MarkerVerdict judge_marker(const MarkerSeen& seen, const std::string& drawn) {
  if (!seen.found.empty() && (seen.remembered.empty() || seen.found == seen.remembered))
    return {seen.found, false};
  // Nothing that is known could be missed here.
  const bool open = !seen.repositories_known || !wall_stands("a folder is known by its marker");
  if (!seen.found.empty()) return open ? MarkerVerdict{seen.found, false} : MarkerVerdict();
  // A location from before there were markers, or whose marker alone is gone.
  if (open || seen.repositories_found)
    return {seen.remembered.empty() ? drawn : seen.remembered, true};
  return {};
}

}  // namespace holdfast::protect
