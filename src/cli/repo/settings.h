/// Settings common to every verb of `holdfast repo`: restic's flags and restic's variables.
#pragma once

#include <holdfast/base/result.h>

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace holdfast::cli {

/// Where a repository is and what opens it.
struct Access {
  std::string repository{}, repository_file{};
  std::string password{};  ///< only from the environment
  std::string password_file{}, password_command{}, key_hint{};
  bool no_password = false;
};

struct Settings {
  Access access{};
  bool json = false, quiet = false;
  int verbose = 0;
  bool no_lock = false;
  std::string retry_lock{};
  std::string cache_dir{};
  bool no_cache = false;
  uint64_t limit_upload = 0, limit_download = 0;  ///< KiB/s; 0 = none
  std::vector<std::string> options{};             ///< s3.NAME=VALUE
  std::string cacert{};
  bool insecure_tls = false;
  std::string compression{}, pack_size{};  ///< pack_size in MiB
  std::string memory_limit = "200M";
  double progress_fps = 0;  ///< 0 = as the output likes
};

void add_settings(CLI::App& repo, Settings& settings);

/// restic's variables fill in what no flag has said. Invalid if they contradict each other.
Result<void> read_environment(Settings& settings);
/// "" if it is not set.
std::string variable(const char* name);

}  // namespace holdfast::cli
