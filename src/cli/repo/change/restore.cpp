// `restore`: a snapshot, or a part of it, back into files.
#include <holdfast/base/mutex.h>
#include <holdfast/base/text.h>
#include <holdfast/cli/words.h>
#include <holdfast/repo/restore.h>
#include <holdfast/repo/tree.h>

#include "repo/change/backup_paths.h"
#include "repo/change/owner_map.h"
#include "repo/choice.h"
#include "repo/print/json_object.h"
#include "repo/print/progress.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <map>

namespace holdfast::cli {
namespace {

struct RestoreFlags {
  Choice choice{};
  std::string snapshot{}, overwrite = "always", user_map{}, group_map{};
  std::vector<std::string> include_files{}, iinclude_files{}, exclude_files{}, iexclude_files{};
  bool no_owner = false, no_attributes = false;
  repo::RestoreOptions engine{};
};

/// Names at the top of a snapshot that a message has room for.
constexpr size_t kMostHeld = 10;

using Overwrite = repo::RestoreOptions::Overwrite;
const std::map<std::string, Overwrite> kOverwrite{{"always", Overwrite::Always},
                                                  {"if-changed", Overwrite::IfChanged},
                                                  {"if-newer", Overwrite::IfNewer},
                                                  {"never", Overwrite::Never}};

Result<void> add_patterns(const std::vector<std::string>& files, std::vector<std::string>& into) {
  for (const std::string& file : files) {
    const std::vector<std::string> read = HF_TRY(patterns_of(file));
    into.insert(into.end(), read.begin(), read.end());
  }
  return ok();
}

Result<repo::RestoreOptions> restore_options(const RestoreFlags& flags) {
  repo::RestoreOptions out = flags.engine;
  if (out.target.empty() == out.to_device.empty())
    return Error(Fault::Invalid, "restore: where to?")
        .with_hint("--target DIR, or --to-device DEV");
  HF_TRY(add_patterns(flags.include_files, out.includes));
  HF_TRY(add_patterns(flags.iinclude_files, out.insensitive_includes));
  HF_TRY(add_patterns(flags.exclude_files, out.excludes));
  HF_TRY(add_patterns(flags.iexclude_files, out.insensitive_excludes));
  out.overwrite = kOverwrite.at(flags.overwrite);
  out.ownership = !flags.no_owner;
  const OwnerMap users = HF_TRY(OwnerMap::parse(flags.user_map));
  const OwnerMap groups = HF_TRY(OwnerMap::parse(flags.group_map));
  if (!users.empty() || !groups.empty())
    out.owner = [users, groups](uint32_t uid, uint32_t gid) {
      return std::pair(users(uid), groups(gid));
    };
  out.extended_attributes = !flags.no_attributes;
  const bool some = !out.includes.empty() || !out.insensitive_includes.empty();
  const bool but = !out.excludes.empty() || !out.insensitive_excludes.empty();
  if (some && but)
    return Error(Fault::Invalid, "--include and --exclude exclude each other")
        .with_hint("a pattern that begins with ! takes back what an earlier one chose");
  return out;
}

/// What is told while it runs. Files are told of from any thread.
class View {
 public:
  explicit View(Session& session) : out_(session.out()), progress_(session) {}

  void status(const repo::RestoreProgress& now);
  void item(repo::Restoring what, const std::string& path, uint64_t size);
  std::chrono::duration<double> elapsed() const { return progress_.elapsed(); }
  void end() { progress_.clear(); }

 private:
  Output& out_;
  Mutex mutex_;
  Progress progress_;
};

void View::status(const repo::RestoreProgress& now) {
  const Lock lock(mutex_);
  if (!progress_.due()) return;
  if (!out_.json()) {
    progress_.bytes(
        now.bytes_done, now.bytes_total,
        fmt::format("{} of {} files, {} errors", now.files_done, now.files_total, now.errors));
    return;
  }
  const double share = now.bytes_total == 0 ? 0 : double(now.bytes_done) / double(now.bytes_total);
  JsonObject line;
  line.text("message_type", "status");
  line.number("seconds_elapsed", uint64_t(progress_.elapsed().count()));
  line.real("percent_done", share).number("total_files", now.files_total);
  line.number("files_restored", now.files_done).number("total_bytes", now.bytes_total);
  line.number("bytes_restored", now.bytes_done - now.bytes_skipped)
      .number("bytes_skipped", now.bytes_skipped);
  out_.line(line.take());
}

void View::item(repo::Restoring what, const std::string& path, uint64_t size) {
  using repo::Restoring;
  static const std::map<Restoring, const char*> kWords{{Restoring::Restored, "restored"},
                                                       {Restoring::Updated, "updated"},
                                                       {Restoring::Unchanged, "unchanged"},
                                                       {Restoring::Deleted, "deleted"}};
  const Lock lock(mutex_);
  if (out_.json()) {
    JsonObject line;
    line.text("message_type", "verbose_status").text("action", kWords.at(what));
    return out_.line(line.text("item", path).number("size", size).take());
  }
  progress_.clear();
  const bool whole = path.ends_with('/') || what == Restoring::Deleted;
  out_.line(fmt::format("{:9} {}{}", kWords.at(what), out_.shown(path),
                        whole ? "" : fmt::format(" with size {}", size_text(size))));
}

void print_error(Output& out, const std::string& error) {
  if (!out.json()) {
    out.warn("error: " + error);
    return;
  }
  JsonObject line;
  line.text("message_type", "error").raw("error", JsonObject().text("message", error).take());
  fmt::print(stderr, "{}\n", line.text("during", "restore").take());
}

std::string result_json(const repo::RestoreResult& result, double seconds) {
  JsonObject line;
  line.text("message_type", "summary").number("seconds_elapsed", uint64_t(seconds));
  line.number("total_files", result.files_restored + result.files_unchanged);
  line.number("files_restored", result.files_restored);
  line.number("files_skipped", result.files_unchanged);
  line.number("files_deleted", result.files_deleted);
  line.number("files_verified", result.files_verified);
  line.number("total_bytes", result.bytes_restored + result.bytes_skipped);
  line.number("bytes_restored", result.bytes_restored);
  line.number("bytes_skipped", result.bytes_skipped);
  if (result.left_out > 0) line.number("files_left_out", result.left_out);
  return line.take();
}

/// The code of what is done: 3 if something special was left out.
int tell_left_out(Output& out, const repo::RestoreResult& result) {
  if (result.left_out == 0) return kDone;
  for (const std::string& one : result.left_out_first) out.warn("left out: " + one);
  const uint64_t more = result.left_out - result.left_out_first.size();
  if (more > 0) out.warn(fmt::format("left out of {} more", more));
  out.warn(
      fmt::format("{} files and folders lack what only --special restores: devices, "
                  "set-user-ID, set-group-ID, capabilities",
                  result.left_out));
  return kIncomplete;
}

/// Patterns that let nothing through are a mistake, most often of where a path begins.
Result<void> expect_chosen(repo::Indexed& index, const Place& place,
                           const repo::RestoreOptions& options, const repo::RestoreResult& done) {
  std::vector<std::string> includes = options.includes;
  includes.insert(includes.end(), options.insensitive_includes.begin(),
                  options.insensitive_includes.end());
  if (includes.empty() || done.chosen > 0 || !done.errors.empty()) return ok();
  std::vector<std::string> held;
  for (const repo::Node& node : HF_TRY(repo::load_tree(index, place.tree)))
    held.push_back("/" + node.name);
  const bool more = held.size() > kMostHeld;
  held.resize(std::min(held.size(), kMostHeld));
  return Error(
             Fault::NotFound,
             fmt::format("nothing in {} fits --include {}; it holds {}{}",
                         place.folder.empty() ? "the snapshot" : place.folder, join(includes, ", "),
                         held.empty() ? "nothing" : join(held, ", "), more ? ", …" : ""))
      .with_hint("paths are those that holdfast repo ls SNAPSHOT prints");
}

void print_result(Output& out, const repo::RestoreResult& result,
                  std::chrono::duration<double> elapsed, bool dry_run) {
  const double seconds = std::max(elapsed.count(), 0.001);
  std::string text = fmt::format("{} {} files and folders ({}) in {}, {}/s",
                                 dry_run ? "Would restore" : "Restored", result.files_restored,
                                 size_text(result.bytes_restored),
                                 clock_text(std::chrono::seconds(int64_t(seconds))),
                                 size_text(uint64_t(double(result.bytes_restored) / seconds)));
  if (result.files_unchanged > 0)
    text += fmt::format(", {} were as they should be ({})", result.files_unchanged,
                        size_text(result.bytes_skipped));
  if (result.files_deleted > 0) text += fmt::format(", deleted {}", result.files_deleted);
  if (result.files_verified > 0) text += fmt::format(", verified {}", result.files_verified);
  out.remark(text);
}

/// ID:PATH, of an image or a file.
Result<Place> find_image(repo::Indexed& index, const RestoreFlags& flags) {
  const size_t colon = flags.snapshot.find(':');
  if (colon == std::string::npos)
    return Error(Fault::Invalid, "--to-device: which image?").with_hint("name it as ID:PATH");
  Place place = HF_TRY(find_place(index, flags.snapshot.substr(0, colon), flags.choice));
  place.folder = flags.snapshot.substr(colon + 1);
  return place;
}

Result<int> restore(const RestoreFlags& flags, Session& session) {
  repo::RestoreOptions options = HF_TRY(restore_options(flags));
  repo::Indexed* index = HF_TRY(session.open_index(LockKind::Shared));
  const bool device = !options.to_device.empty();
  const Place place =
      HF_TRY(device ? find_image(*index, flags) : find_place(*index, flags.snapshot, flags.choice));
  options.subfolder = place.folder;
  Output& out = session.out();
  out.remark(fmt::format("restoring {} to {}", heading(place.snapshot),
                         device ? options.to_device : options.target));
  View view(session);
  if (out.verbose() > 1)
    options.item = [&view](repo::Restoring what, const std::string& path, uint64_t size) {
      view.item(what, path, size);
    };
  Result<repo::RestoreResult> done = repo::restore(
      *index, place.snapshot, options,
      [&view](const repo::RestoreProgress& now) { view.status(now); }, session.stop());
  view.end();
  if (!done) return done.take_error();
  for (const std::string& error : done->errors) print_error(out, error);
  if (out.json())
    out.line(result_json(*done, view.elapsed().count()));
  else
    print_result(out, *done, view.elapsed(), options.dry_run);
  HF_TRY(expect_chosen(*index, place, options, *done));
  const int code = tell_left_out(out, *done);
  if (done->errors.empty()) return code;
  return Error(Fault::Corrupt, fmt::format("{} files or folders are not as they were in the "
                                           "snapshot: see above",
                                           done->errors.size()));
}

void add_patterns(CLI::App* verb, RestoreFlags& flags) {
  const auto many = [verb](const char* name, std::vector<std::string>& into, const char* help) {
    verb->add_option(name, into, help)->allow_extra_args(false);
  };
  many("-i,--include", flags.engine.includes, "only what fits this pattern");
  many("--iinclude", flags.engine.insensitive_includes, "the same, whatever the case of letters");
  many("--include-file", flags.include_files, "file of such patterns");
  many("--iinclude-file", flags.iinclude_files, "file of such patterns, whatever the case");
  many("-e,--exclude", flags.engine.excludes, "all but what fits this pattern");
  many("--iexclude", flags.engine.insensitive_excludes, "the same, whatever the case of letters");
  many("--exclude-file", flags.exclude_files, "file of such patterns");
  many("--iexclude-file", flags.iexclude_files, "file of such patterns, whatever the case");
}

}  // namespace

void add_restore(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("restore", "puts files of a snapshot into a folder");
  auto flags = std::make_shared<RestoreFlags>();
  add_choice(verb, flags->choice);
  verb->add_option("snapshot", flags->snapshot, "id of a snapshot, latest, or ID:folder")
      ->required();
  verb->add_option("-t,--target", flags->engine.target, "folder to restore into");
  verb->add_option("--to-device", flags->engine.to_device,
                   "block device that the image ID:PATH is written onto, where it differs");
  add_patterns(verb, *flags);
  verb->add_option("--overwrite", flags->overwrite,
                   "files that are there: always, if-changed, if-newer or never")
      ->capture_default_str()
      ->check(CLI::IsMember({"always", "if-changed", "if-newer", "never"}));
  verb->add_flag("--delete", flags->engine.delete_extra, "removes what is not in the snapshot");
  verb->add_flag("--sparse", flags->engine.sparse, "holes instead of zeros");
  verb->add_flag("--verify", flags->engine.verify, "reads back what was written");
  verb->add_flag("-n,--dry-run", flags->engine.dry_run,
                 "writes nothing, prints what would be restored");
  verb->add_flag("--no-ownership", flags->no_owner, "files belong to the user who restores them");
  verb->add_option("--usermap", flags->user_map, "other owners: FROM:TO,… by number, range or *");
  verb->add_option("--groupmap", flags->group_map, "groups: FROM:TO,… by number, range or *");
  verb->add_flag("--no-xattrs", flags->no_attributes, "without extended attributes");
  verb->add_flag("--special", flags->engine.special,
                 "with device nodes, set-user-ID and set-group-ID of files, and capabilities: of a "
                 "repository that is trusted");
  verbs.run(verb, [flags](Session& session) { return restore(*flags, session); });
}

}  // namespace holdfast::cli
