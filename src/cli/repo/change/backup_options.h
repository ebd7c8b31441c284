/// The flags of `backup`.
#pragma once

#include <holdfast/repo/backup.h>

#include "repo/verb.h"

namespace holdfast::cli {

struct BackupFlags {
  std::vector<std::string> paths{};
  std::vector<std::string> exclude_files{}, iexclude_files{};
  std::vector<std::string> files_from{}, files_from_verbatim{}, files_from_raw{};
  std::vector<std::string> tags{};
  std::string larger_than{}, segments{}, time{}, group_by = "host,paths", chunks = "rabin";
  std::string stdin_filename = "stdin";
  bool from_stdin = false, from_command = false, no_scan = false;
  int read_concurrency = 0;
  repo::BackupOptions engine{};  ///< what needs no reading
};

void add_backup_flags(CLI::App* verb, BackupFlags& flags);
/// Reads the files of patterns and paths. The stream, if any, is left to the caller.
Result<repo::BackupOptions> backup_options(const BackupFlags& flags, const Session& session);

}  // namespace holdfast::cli
