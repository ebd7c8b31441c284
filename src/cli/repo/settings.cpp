#include "repo/settings.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdlib>

namespace holdfast::cli {
namespace {

void fill(std::string& value, const char* name) {
  if (value.empty()) value = variable(name);
}

Error both(std::string_view one, std::string_view other) {
  return Error(Fault::Invalid, fmt::format("{} and {} are both set", one, other))
      .with_hint("keep one of them");
}

Result<void> read_access(Access& access) {
  if (!access.repository.empty() && !access.repository_file.empty())
    return both("--repo", "--repository-file");
  if (access.repository.empty() && access.repository_file.empty()) {
    access.repository = variable("RESTIC_REPOSITORY");
    access.repository_file = variable("RESTIC_REPOSITORY_FILE");
    if (!access.repository.empty() && !access.repository_file.empty())
      return both("RESTIC_REPOSITORY", "RESTIC_REPOSITORY_FILE");
  }
  if (!access.password_file.empty() && !access.password_command.empty())
    return both("--password-file", "--password-command");
  // A flag is meant for this run; what the environment says is for runs without one.
  if (access.password_file.empty() && access.password_command.empty() && !access.no_password) {
    access.password_file = variable("RESTIC_PASSWORD_FILE");
    access.password_command = variable("RESTIC_PASSWORD_COMMAND");
    if (!access.password_file.empty() && !access.password_command.empty())
      return both("RESTIC_PASSWORD_FILE", "RESTIC_PASSWORD_COMMAND");
    if (access.password_file.empty() && access.password_command.empty())
      access.password = variable("RESTIC_PASSWORD");
  }
  fill(access.key_hint, "RESTIC_KEY_HINT");
  return ok();
}

void add_access(CLI::App& repo, Access& access) {
  repo.add_option("-r,--repo", access.repository,
                  "repository: /folder or s3:https://HOST/BUCKET/PREFIX ($RESTIC_REPOSITORY)");
  repo.add_option("--repository-file", access.repository_file,
                  "file that names the repository ($RESTIC_REPOSITORY_FILE)");
  repo.add_option("-p,--password-file", access.password_file,
                  "file with the password ($RESTIC_PASSWORD_FILE)");
  repo.add_option("--password-command", access.password_command,
                  "program that prints the password ($RESTIC_PASSWORD_COMMAND)");
  repo.add_option("--key-hint", access.key_hint, "key to try, and no other ($RESTIC_KEY_HINT)");
  repo.add_flag("--insecure-no-password", access.no_password,
                "the repository has an empty password");
}

}  // namespace

std::string variable(const char* name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment.
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void add_settings(CLI::App& repo, Settings& settings) {
  add_access(repo, settings.access);
  repo.add_flag("--json", settings.json, "JSON lines instead of text");
  repo.add_flag("-q,--quiet", settings.quiet, "no progress and no remarks");
  repo.add_flag("-v,--verbose", settings.verbose,
                "says more; twice: names every file of a backup or restore");
  repo.add_flag("--no-lock", settings.no_lock, "reads without a lock, from a read-only store");
  repo.add_option("--retry-lock", settings.retry_lock,
                  "time to wait for another process's lock, like 5m");
  repo.add_option("--cache-dir", settings.cache_dir, "folder of caches ($RESTIC_CACHE_DIR)");
  repo.add_flag("--no-cache", settings.no_cache, "no cache on disk");
  repo.add_option("--limit-upload", settings.limit_upload, "KiB/s; 0: none");
  repo.add_option("--limit-download", settings.limit_download, "KiB/s; 0: none");
  repo.add_option("-o,--option", settings.options, "s3.NAME=VALUE; see docs/repo.md")
      ->allow_extra_args(false);
  repo.add_option("--cacert", settings.cacert, "PEM file of authorities to trust");
  repo.add_flag("--insecure-tls", settings.insecure_tls, "accepts any certificate");
  repo.add_option("--compression", settings.compression,
                  "auto, off, fastest, better or max ($RESTIC_COMPRESSION)");
  repo.add_option("--pack-size", settings.pack_size, "MiB, 4 to 128 ($RESTIC_PACK_SIZE)");
  repo.add_option("--memory-limit", settings.memory_limit, "most memory for a backup, like 200M")
      ->capture_default_str();
}

Result<void> read_environment(Settings& settings) {
  HF_TRY(read_access(settings.access));
  fill(settings.cache_dir, "RESTIC_CACHE_DIR");
  fill(settings.compression, "RESTIC_COMPRESSION");
  fill(settings.pack_size, "RESTIC_PACK_SIZE");
  const std::string fps = variable("RESTIC_PROGRESS_FPS");
  if (!fps.empty()) settings.progress_fps = std::strtod(fps.c_str(), nullptr);
  return ok();
}

}  // namespace holdfast::cli
