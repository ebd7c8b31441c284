/// Verdict on the folder of a location, by its marker. Pure.
#pragma once

#include <optional>
#include <string>

namespace holdfast::protect {

struct MarkerSeen {
  std::string remembered{};         ///< by the location; "": none yet
  std::string found{};              ///< in the folder; "": none
  bool repositories_known = false;  ///< there are Repositories of it that hold something
  bool repositories_found = false;  ///< one of these lies in the folder
};

/// The id that the location is known by from now on; `write` if the folder lacks it. Nothing:
/// this is not the folder that it was.
struct MarkerVerdict {
  std::optional<std::string> id{};
  bool write = false;
};
MarkerVerdict judge_marker(const MarkerSeen& seen, const std::string& drawn);

}  // namespace holdfast::protect
