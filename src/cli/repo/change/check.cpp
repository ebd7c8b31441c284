// `check`: verification that all data can be restored.
#include <holdfast/cli/words.h>
#include <holdfast/repo/check.h>

#include "repo/choice.h"
#include "repo/print/json_object.h"
#include "repo/print/progress.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {
namespace {

struct CheckFlags {
  bool read_data = false;
  std::string subset{}, good_for{};
};

std::string_view noun_of(repo::CheckProgress::Stage stage) {
  switch (stage) {
    case repo::CheckProgress::Stage::Index:
      return "indexes";
    case repo::CheckProgress::Stage::Packs:
      return "packs looked at";
    case repo::CheckProgress::Stage::Trees:
      return "trees";
    case repo::CheckProgress::Stage::Data:
      return "packs read";
  }
  return "";
}

Result<repo::CheckOptions> check_options(const CheckFlags& flags, Session& session) {
  repo::CheckOptions options;
  if (!flags.subset.empty()) options = HF_TRY(repo::parse_subset(flags.subset));
  if (flags.read_data && !flags.subset.empty())
    return Error(Fault::Invalid, "--read-data and --read-data-subset exclude each other");
  if (flags.read_data) options.data = repo::CheckOptions::Data::All;
  if (!flags.good_for.empty())
    options.good_for = HF_TRY(parse_duration("--max-age", flags.good_for));
  const repo::Opened* repository = HF_TRY(session.open(LockKind::Shared, Copies::PassedOver));
  const auto folder = session.cache_folder(repository->config().id);
  if (!folder.empty()) options.record = folder / "checked";
  options.scratch.folder = folder;
  return options;
}

void print_damage(Output& out, const repo::CheckResult& result) {
  for (const repo::Damage& damage : result.damages) {
    const std::string text = fmt::format("{}: {}", damage.place, damage.what);
    if (out.json())
      fmt::print(stderr, "{}\n",
                 JsonObject()
                     .text("message_type", damage.hint ? "hint" : "error")
                     .text("message", text)
                     .take());
    else
      out.warn((damage.hint ? "hint: " : "error: ") + text);
  }
  for (const repo::Affected& one : result.affected)
    out.warn(fmt::format("cannot be restored as it was: {}:{}: {}", short_id(one.snapshot),
                         out.shown(one.path), one.what));
  if (result.affected_more > 0)
    out.warn(fmt::format("and {} files and folders more", result.affected_more));
}

std::string result_json(const repo::CheckResult& result) {
  uint64_t errors = 0;
  for (const repo::Damage& damage : result.damages) errors += damage.hint ? 0 : 1;
  JsonObject line;
  line.text("message_type", "summary").number("num_errors", errors);
  line.number("snapshots", result.snapshots).number("packs", result.packs);
  line.number("blobs", result.blobs).number("packs_read", result.packs_read);
  line.number("bytes_read", result.bytes_read).number("packs_never_read", result.packs_never_read);
  if (result.proven) line.text("proven", local_time(*result.proven));
  return line.take();
}

void print_result(Output& out, const repo::CheckResult& result) {
  out.remark(fmt::format("{} snapshots, {} indexes, {} packs, {} blobs, {} trees", result.snapshots,
                         result.indexes, result.packs, result.blobs, result.trees));
  if (result.packs_read > 0 || result.packs_left_out > 0)
    out.remark(fmt::format("read {} packs, {}; {} were read not long ago", result.packs_read,
                           size_text(result.bytes_read), result.packs_left_out));
  if (result.proven)
    out.remark(fmt::format("every pack was read since {}", local_time(*result.proven)));
  out.remark(result.good() ? "no errors were found" : "the repository is damaged: see above");
}

Result<int> check(const CheckFlags& flags, Session& session) {
  const repo::CheckOptions options = HF_TRY(check_options(flags, session));
  Output& out = session.out();
  Progress progress(session);
  Result<repo::CheckResult> checked = repo::check(
      *session.opened(), options,
      [&](const repo::CheckProgress& now) {
        if (!out.json() && progress.due())
          progress.items(now.done, now.all, std::string(noun_of(now.stage)));
      },
      session.stop());
  progress.clear();
  if (!checked) return checked.take_error();
  print_damage(out, *checked);
  if (out.json())
    out.line(result_json(*checked));
  else
    print_result(out, *checked);
  return checked->good() ? kDone : kFailed;
}

}  // namespace

void add_check(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("check", "checks the repository");
  auto flags = std::make_shared<CheckFlags>();
  verb->add_flag("--read-data", flags->read_data, "reads all data");
  verb->add_option("--read-data-subset", flags->subset, "reads some of it: 1/7, 2.5% or 10G");
  verb->add_option("--max-age", flags->good_for,
                   "skips packs that were read and good within this time, like 720h");
  verbs.run(verb, [flags](Session& session) { return check(*flags, session); });
}

}  // namespace holdfast::cli
