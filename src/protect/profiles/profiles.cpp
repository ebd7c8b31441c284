#include <holdfast/protect/cut/profiles.h>

#include "profiles/session_scripts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::protect {
namespace {

constexpr const char* kMariadbSummary =
    "BACKUP STAGE BLOCK_COMMIT where the server has it, else FLUSH TABLES WITH READ LOCK, held";

constexpr std::array kProfiles{
    Profile{"mariadb", kMariadbSummary},
    Profile{"mysql", kMariadbSummary},
    Profile{"postgresql", "a checkpoint before an atomic cut; else a base backup held open", false,
            true},
    Profile{"fsfreeze", "freezes the filesystems of the volumes", true},
};

/// Of /proc/self/mountinfo, where a space would end the field.
std::string mountinfo_form(std::string_view path) {
  std::string form;
  for (const char c : path) {
    if (c == ' ' || c == '\t' || c == '\n' || c == '\\')
      form += fmt::format("\\{:03o}", c);
    else
      form += c;
  }
  return form;
}

std::vector<std::string> mount_parameters(const std::vector<std::string>& mount_paths) {
  std::vector<std::string> parameters;
  for (std::string path : mount_paths) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    parameters.push_back(path);
    parameters.push_back(mountinfo_form(path));
  }
  return parameters;
}

}  // namespace

const Profile* find_profile(std::string_view name) {
  const auto* found = std::find_if(kProfiles.begin(), kProfiles.end(),
                                   [&](const Profile& each) { return each.name == name; });
  return found == kProfiles.end() ? nullptr : &*found;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  names.reserve(kProfiles.size());
  for (const Profile& each : kProfiles) names.emplace_back(each.name);
  return names;
}

std::vector<std::string> session_command(const Profile& profile, const ProfileOptions& options) {
  const char* script = kMariadbSession;
  std::vector<std::string> parameters{options.read_lock ? "read-lock" : "stage"};
  if (profile.name == "postgresql") {
    script = kPostgresqlSession;
    parameters = {options.atomic_cut ? "atomic" : "per-volume"};
  } else if (profile.name == "fsfreeze") {
    script = kFsfreezeSession;
    parameters = mount_parameters(options.mount_paths);
  }
  const int64_t budget = options.budget.count();
  std::vector<std::string> argv{"/bin/sh",
                                "-c",
                                std::string(kSessionFrame) + script,
                                fmt::format("holdfast-{}", profile.name),
                                fmt::format("{}.{:03}", budget / 1000, budget % 1000),
                                fmt::to_string(std::max<int64_t>(1, (budget + 999) / 1000)),
                                fmt::to_string(options.deadline.count())};
  argv.insert(argv.end(), parameters.begin(), parameters.end());
  return argv;
}

}  // namespace holdfast::protect
