#include "backup/targets.h"

#include <fmt/format.h>

#include <filesystem>

namespace holdfast::repo {
namespace {

struct Steps {
  std::vector<std::string> names{};
  std::string start{};  ///< where on disk the first name lies, with its slash
};

Steps steps_of(const std::string& path) {
  Steps steps;
  const std::filesystem::path clean = std::filesystem::path(path).lexically_normal();
  steps.start = clean.is_absolute() ? "/" : "";
  for (const auto& part : clean.relative_path()) {
    if (part == "..")
      steps.start += "../";
    else if (!part.empty() && part != ".")
      steps.names.push_back(part.string());
  }
  return steps;
}

/// A place that means another path on disk is taken.
Target& step_into(Target& from, const std::string& name, const std::string& path) {
  std::string free = name;
  for (int count = 1;; ++count) {
    Target& to = from.below[free];
    if (to.path.empty()) to.path = path;
    if (to.path == path) return to;
    free = fmt::format("{}-{}", name, count);
  }
}

}  // namespace

Target make_targets(const std::vector<std::string>& paths) {
  Target root;
  for (const std::string& path : paths) {
    const Steps steps = steps_of(path);
    Target* at = &root;
    std::string place = steps.start;
    for (const std::string& name : steps.names) {
      place += (place.empty() || place.ends_with('/') ? "" : "/") + name;
      at = &step_into(*at, name, place);
    }
    if (steps.names.empty()) at->path = steps.start.empty() ? "." : steps.start;
    at->whole = true;
  }
  return root;
}

}  // namespace holdfast::repo
