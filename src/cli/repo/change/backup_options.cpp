#include "repo/change/backup_options.h"

#include <holdfast/base/text.h>
#include <holdfast/cli/words.h>
#include <holdfast/repo/forget.h>

#include "repo/change/backup_paths.h"
#include "repo/choice.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <map>

namespace holdfast::cli {
namespace {

constexpr uint64_t kMebibyte = uint64_t{1} << 20;

using Reader = Result<std::vector<std::string>> (*)(const std::string&);

Result<void> read_all(const std::vector<std::string>& files, Reader reader,
                      std::vector<std::string>& into) {
  for (const std::string& file : files) {
    std::vector<std::string> read = HF_TRY(reader(file));
    into.insert(into.end(), read.begin(), read.end());
  }
  return ok();
}

Result<repo::ChunkPolicy> parse_chunks(const std::string& text) {
  using Kind = repo::ChunkPolicy::Kind;
  repo::ChunkPolicy out;
  if (text == "rabin") return out;
  if (text == "auto") {
    out.kind = Kind::Auto;
    return out;
  }
  if (!text.starts_with("fixed:"))
    return Error(Fault::Invalid, fmt::format("--chunks {}: not known", text))
        .with_hint("rabin, auto, or fixed:SIZE like fixed:64k");
  const uint64_t size = HF_TRY(parse_size("--chunks", text.substr(6)));
  if (size < 4096 || size > 8 * kMebibyte)
    return Error(Fault::Invalid, fmt::format("--chunks {}: 4k to 8M", text));
  out.kind = Kind::Fixed;
  out.fixed_size = uint32_t(size);
  return out;
}

Result<repo::Compression> parse_compression(const std::string& text) {
  using repo::Compression;
  static const std::map<std::string, Compression> modes{
      {"", Compression::Auto},           {"auto", Compression::Auto},     {"off", Compression::Off},
      {"fastest", Compression::Fastest}, {"better", Compression::Better}, {"max", Compression::Max},
  };
  const auto found = modes.find(text);
  if (found != modes.end()) return found->second;
  return Error(Fault::Invalid, fmt::format("compression {}: not known", holdfast::quoted(text)))
      .with_hint("auto, off, fastest, better or max");
}

Result<uint64_t> parse_pack_size(const std::string& text) {
  if (text.empty()) return 16 * kMebibyte;
  const uint64_t size = HF_TRY(parse_size("--pack-size", text));
  if (size < 4 || size > 128)
    return Error(Fault::Invalid, fmt::format("--pack-size {}: 4 to 128 MiB", text));
  return size * kMebibyte;
}

Result<void> set_sizes(const BackupFlags& flags, const Session& session, repo::BackupOptions& out) {
  const Settings& settings = session.settings();
  out.compression = HF_TRY(parse_compression(settings.compression));
  out.pack_size = HF_TRY(parse_pack_size(settings.pack_size));
  out.memory_limit = HF_TRY(session.memory_limit());
  out.chunks = HF_TRY(parse_chunks(flags.chunks));
  if (!flags.larger_than.empty())
    out.exclude_larger_than = HF_TRY(parse_size("--exclude-larger-than", flags.larger_than));
  if (!flags.segments.empty())
    out.segment_larger_than = HF_TRY(parse_size("--segment-larger-than", flags.segments));
  int concurrency = flags.read_concurrency;
  if (concurrency == 0) concurrency = std::atoi(variable("RESTIC_READ_CONCURRENCY").c_str());
  if (concurrency > 0) out.read_concurrency = concurrency;
  return ok();
}

}  // namespace

Result<repo::BackupOptions> backup_options(const BackupFlags& flags, const Session& session) {
  repo::BackupOptions out = flags.engine;
  if (!flags.from_command) out.paths = flags.paths;
  HF_TRY(read_all(flags.exclude_files, patterns_of, out.excludes));
  HF_TRY(read_all(flags.iexclude_files, patterns_of, out.insensitive_excludes));
  HF_TRY(read_all(flags.files_from, matching_of, out.paths));
  HF_TRY(read_all(flags.files_from_verbatim, verbatim_of, out.paths));
  HF_TRY(read_all(flags.files_from_raw, raw_of, out.paths));
  if ((flags.from_stdin || flags.from_command) && !out.paths.empty())
    return Error(Fault::Invalid, "--stdin and paths exclude each other");
  HF_TRY(set_sizes(flags, session, out));
  for (const std::string& list : flags.tags)
    for (const std::string& tag : tag_set(list))
      if (!tag.empty()) out.tags.push_back(tag);
  if (out.host.empty()) out.host = variable("RESTIC_HOST");
  if (!flags.time.empty()) out.time = HF_TRY(parse_local_time("--time", flags.time));
  const repo::GroupBy by = HF_TRY(repo::parse_group_by(flags.group_by));
  out.parent_by_host = by.host;
  out.parent_by_paths = by.paths;
  out.parent_by_tags = by.tags;
  out.program_version = "holdfast " HOLDFAST_VERSION;
  out.stream_name = (flags.stdin_filename.starts_with('/') ? "" : "/") + flags.stdin_filename;
  return out;
}

namespace {

void add_selection(CLI::App* verb, BackupFlags& flags) {
  repo::BackupOptions& engine = flags.engine;
  const auto many = [verb](const char* name, std::vector<std::string>& into, const char* help) {
    verb->add_option(name, into, help)->allow_extra_args(false);
  };
  verb->add_option("paths", flags.paths, "files and folders; with --stdin-from-command: it");
  many("-e,--exclude", engine.excludes, "leave out what fits this pattern");
  many("--iexclude", engine.insensitive_excludes, "the same, whatever the case of letters");
  many("--exclude-file", flags.exclude_files, "file of such patterns");
  many("--iexclude-file", flags.iexclude_files, "file of such patterns, whatever the case");
  many("--exclude-if-present", engine.exclude_if_present,
       "leave out the rest of folders that hold this file; NAME:TEXT if it begins so");
  verb->add_flag("--exclude-caches", engine.exclude_caches,
                 "leave out the rest of folders with a CACHEDIR.TAG");
  verb->add_option("--exclude-larger-than", flags.larger_than, "leave out larger files, like 1G");
  many("--files-from", flags.files_from, "file of patterns of paths to back up");
  many("--files-from-verbatim", flags.files_from_verbatim, "file of paths");
  many("--files-from-raw", flags.files_from_raw, "file of paths, a zero byte after each");
  verb->add_flag("--read-special", engine.read_special,
                 "block devices among the paths: their content, as images");
  verb->add_option("--segment-larger-than", flags.segments,
                   "larger files are stored as images, in segments, like 10G");
  verb->add_flag("-x,--one-file-system", engine.one_file_system, "stay on their file systems");
}

void add_manner(CLI::App* verb, BackupFlags& flags) {
  repo::BackupOptions& engine = flags.engine;
  verb->add_option("--parent", engine.parent, "snapshot to compare with");
  verb->add_option("-g,--group-by", flags.group_by, "the parent is the newest of the same")
      ->capture_default_str();
  verb->add_flag("-f,--force", engine.force, "read everything again");
  verb->add_flag("--ignore-inode", engine.ignore_inode, "another inode is no change");
  verb->add_flag("--ignore-ctime", engine.ignore_ctime, "another ctime is no change");
  verb->add_flag("--with-atime", engine.with_atime, "keep times of access");
  verb->add_flag("--skip-if-unchanged", engine.skip_if_unchanged, "no snapshot if nothing is new");
  verb->add_flag("-n,--dry-run", engine.dry_run, "write nothing, print what would be stored");
  verb->add_flag("--no-scan", flags.no_scan, "does not count files ahead, for the time left");
  verb->add_option("--read-concurrency", flags.read_concurrency,
                   "files read at once ($RESTIC_READ_CONCURRENCY)");
  verb->add_option("--chunks", flags.chunks,
                   "chunking: rabin as restic does, fixed:64k, or auto: fixed for databases")
      ->capture_default_str();
}

}  // namespace

void add_backup_flags(CLI::App* verb, BackupFlags& flags) {
  add_selection(verb, flags);
  add_manner(verb, flags);
  verb->add_option("--tag", flags.tags, "tags of the snapshot: a,b")->allow_extra_args(false);
  verb->add_option("-H,--host", flags.engine.host, "host of the snapshot ($RESTIC_HOST)");
  verb->add_option("--time", flags.time, "time of the snapshot: \"2006-01-02 15:04:05\"");
  verb->add_flag("--stdin", flags.from_stdin, "one file, from standard input");
  verb->add_option("--stdin-filename", flags.stdin_filename, "its name")->capture_default_str();
  verb->add_flag("--stdin-from-command", flags.from_command,
                 "one file, from what the program after -- prints");
}

}  // namespace holdfast::cli
