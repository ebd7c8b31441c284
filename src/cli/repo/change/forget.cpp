// `forget`: removal of snapshots by a policy, or by name. Their data stays until `prune`.
#include <holdfast/base/text.h>
#include <holdfast/repo/forget.h>

#include "repo/change/prune.h"
#include "repo/choice.h"
#include "repo/groups.h"
#include "repo/print/json_object.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::cli {
namespace {

struct ForgetFlags {
  Choice choice{};
  std::vector<std::string> names{}, keep_tags{};
  std::string last{}, hourly{}, daily{}, weekly{}, monthly{}, yearly{};
  std::string within{}, within_hourly{}, within_daily{}, within_weekly{}, within_monthly{},
      within_yearly{};
  std::string group_by = "host,paths";
  bool compact = false, remove_all = false, prune = false;
  PruneFlags pruning{};  ///< its dry_run is that of both
};

Result<void> read_count(std::string_view flag, const std::string& text, int& into) {
  if (text.empty()) return ok();
  if (text == "unlimited") {
    into = -1;
    return ok();
  }
  const auto read = std::from_chars(text.data(), text.data() + text.size(), into);
  if (read.ec == std::errc() && read.ptr == text.data() + text.size() && into >= -1) return ok();
  return Error(Fault::Invalid, fmt::format("{} {}: a number, or unlimited", flag, text));
}

Result<void> read_span(std::string_view flag, const std::string& text, repo::CalendarSpan& into) {
  if (text.empty()) return ok();
  Result<repo::CalendarSpan> span = repo::parse_span(text);
  if (!span) return span.take_error().with_context(flag);
  into = *span;
  return ok();
}

Result<repo::KeepPolicy> policy_of(const ForgetFlags& flags) {
  repo::KeepPolicy out;
  HF_TRY(read_count("--keep-last", flags.last, out.last));
  HF_TRY(read_count("--keep-hourly", flags.hourly, out.hourly));
  HF_TRY(read_count("--keep-daily", flags.daily, out.daily));
  HF_TRY(read_count("--keep-weekly", flags.weekly, out.weekly));
  HF_TRY(read_count("--keep-monthly", flags.monthly, out.monthly));
  HF_TRY(read_count("--keep-yearly", flags.yearly, out.yearly));
  HF_TRY(read_span("--keep-within", flags.within, out.within));
  HF_TRY(read_span("--keep-within-hourly", flags.within_hourly, out.within_hourly));
  HF_TRY(read_span("--keep-within-daily", flags.within_daily, out.within_daily));
  HF_TRY(read_span("--keep-within-weekly", flags.within_weekly, out.within_weekly));
  HF_TRY(read_span("--keep-within-monthly", flags.within_monthly, out.within_monthly));
  HF_TRY(read_span("--keep-within-yearly", flags.within_yearly, out.within_yearly));
  for (const std::string& list : flags.keep_tags) out.tags.push_back(tag_set(list));
  return out;
}

/// A group's snapshots that stay or go, newest first, with the reasons for staying.
struct Part {
  std::vector<repo::Snapshot> snapshots{};
  std::vector<std::vector<std::string>> reasons{};
};
Part part_of(const repo::ForgetGroup& group, bool keep) {
  Part out;
  for (const repo::Kept& one : group.verdicts) {
    if (one.keep != keep) continue;
    out.snapshots.push_back(one.snapshot);
    out.reasons.push_back(one.reasons);
  }
  return out;
}

std::string texts_or_null(const std::vector<std::string>& texts) {
  if (texts.empty()) return "null";
  std::vector<std::string> items;
  items.reserve(texts.size());
  for (const std::string& text : texts) items.push_back(json_text(text));
  return json_list(items);
}

std::string group_json(const repo::ForgetGroup& group) {
  const Part kept = part_of(group, true), gone = part_of(group, false);
  std::vector<std::string> reasons;
  for (size_t i = 0; i < kept.snapshots.size(); ++i)
    reasons.push_back(JsonObject()
                          .raw("snapshot", snapshot_json(kept.snapshots[i]))
                          .texts("matches", kept.reasons[i])
                          .take());
  const auto list = [](const Part& part) {
    return part.snapshots.empty() ? "null" : snapshots_json(part.snapshots);
  };
  return JsonObject()
      .raw("tags", texts_or_null(group.group.tags))
      .text("host", group.group.host)
      .raw("paths", texts_or_null(group.group.paths))
      .raw("keep", list(kept))
      .raw("remove", list(gone))
      .raw("reasons", json_list(reasons))
      .take();
}

void print_group(Output& out, const repo::ForgetGroup& group, const repo::GroupBy& by,
                 bool compact) {
  if (by.host || by.paths || by.tags) out.remark(heading(group.group, by));
  for (const bool keep : {true, false}) {
    Part part = part_of(group, keep);
    if (part.snapshots.empty()) continue;
    std::reverse(part.snapshots.begin(), part.snapshots.end());
    std::reverse(part.reasons.begin(), part.reasons.end());
    out.remark(fmt::format("{} {} snapshots:", keep ? "keep" : "remove", part.snapshots.size()));
    std::function<std::vector<std::string>(size_t)> reasons;
    if (keep) reasons = [&part](size_t i) { return part.reasons[i]; };
    out.remark(snapshots_table(part.snapshots, compact, reasons) + "\n");
  }
}

Result<int> remove_all(Session& session, repo::Opened& repository, const std::vector<repo::Id>& ids,
                       const ForgetFlags& flags) {
  Output& out = session.out();
  if (flags.pruning.dry_run) {
    out.remark(fmt::format("dry run: {} snapshots would be removed", ids.size()));
    return kDone;
  }
  if (session.stop().stop_requested())
    return Error(Fault::Unavailable, "forget: stopped before the first was removed");
  HF_TRY(repo::forget(repository, ids));
  if (!ids.empty())
    out.remark(fmt::format("removed {} snapshots{}", ids.size(),
                           flags.prune ? "" : "; their data stays until prune"));
  if (flags.prune && !ids.empty()) return prune(session, repository, flags.pruning);
  return kDone;
}

Result<int> forget_by_policy(const ForgetFlags& flags, const repo::KeepPolicy& policy,
                             Session& session) {
  const repo::GroupBy by = HF_TRY(repo::parse_group_by(flags.group_by));
  repo::Indexed* index = HF_TRY(session.open_index(LockKind::Exclusive));
  const std::vector<repo::Snapshot> snapshots =
      HF_TRY(choose(session, index->repository(), flags.choice, {}));
  const auto whole = [index](const repo::Snapshot& one) {
    return index->find(repo::BlobType::Tree, one.tree).has_value();
  };
  const std::vector<repo::ForgetGroup> groups =
      repo::plan_forget(snapshots, by, policy, session.clock().now(), whole, flags.remove_all);
  std::vector<std::string> items;
  std::vector<repo::Id> gone;
  for (const repo::ForgetGroup& group : groups) {
    for (const repo::Snapshot& one : part_of(group, false).snapshots) gone.push_back(one.id);
    if (session.out().json())
      items.push_back(group_json(group));
    else
      print_group(session.out(), group, by, flags.compact);
  }
  if (session.out().json()) session.out().line(json_list(items));
  return remove_all(session, index->repository(), gone, flags);
}

Error protected_one(const repo::Snapshot& snapshot) {
  return Error(Fault::Invalid,
               fmt::format("forget {}: it is protected by its \"delete\"", short_id(snapshot.id)))
      .with_hint("rustic rewrite can take that from it");
}

Result<int> forget_by_name(const ForgetFlags& flags, Session& session) {
  repo::Opened* repository = HF_TRY(session.open(LockKind::Exclusive));
  const std::vector<repo::Snapshot> chosen =
      HF_TRY(choose(session, *repository, flags.choice, flags.names));
  std::vector<repo::Id> ids;
  ids.reserve(chosen.size());
  for (const repo::Snapshot& one : chosen) {
    if (repo::is_protected(one, session.clock().now())) return protected_one(one);
    // One may be named twice.
    if (std::find(ids.begin(), ids.end(), one.id) == ids.end()) ids.push_back(one.id);
  }
  const int code = HF_TRY(remove_all(session, *repository, ids, flags));
  return chosen.size() == flags.names.size() ? code : int(kFailed);
}

Result<int> forget(const ForgetFlags& flags, Session& session) {
  const repo::KeepPolicy policy = HF_TRY(policy_of(flags));
  if (!flags.names.empty()) return forget_by_name(flags, session);
  if (policy.empty() && !flags.remove_all)
    return Error(Fault::Invalid, "forget: no policy and no snapshot was given")
        .with_hint("say what stays, like --keep-daily 7, or name what goes");
  return forget_by_policy(flags, policy, session);
}

void add_policy(CLI::App* verb, ForgetFlags& flags) {
  verb->add_option("-l,--keep-last", flags.last, "the newest N; or unlimited");
  verb->add_option("-H,--keep-hourly", flags.hourly, "one of each of the last N hours");
  verb->add_option("-d,--keep-daily", flags.daily, "one of each of the last N days");
  verb->add_option("-w,--keep-weekly", flags.weekly, "one of each of the last N weeks");
  verb->add_option("-m,--keep-monthly", flags.monthly, "one of each of the last N months");
  verb->add_option("-y,--keep-yearly", flags.yearly, "one of each of the last N years");
  verb->add_option("--keep-within", flags.within, "all that are newer, like 1y5m7d2h");
  verb->add_option("--keep-within-hourly", flags.within_hourly, "one an hour of so long");
  verb->add_option("--keep-within-daily", flags.within_daily, "one a day of so long");
  verb->add_option("--keep-within-weekly", flags.within_weekly, "one a week of so long");
  verb->add_option("--keep-within-monthly", flags.within_monthly, "one a month of so long");
  verb->add_option("--keep-within-yearly", flags.within_yearly, "one a year of so long");
  verb->add_option("--keep-tag", flags.keep_tags, "those with all of these tags: a,b")
      ->allow_extra_args(false);
}

}  // namespace

void add_forget(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("forget", "removes snapshots");
  auto flags = std::make_shared<ForgetFlags>();
  verb->add_option("ids", flags->names, "snapshots to keep, whatever the policy");
  verb->add_option("--host", flags->choice.hosts, "only snapshots of this host ($RESTIC_HOST)")
      ->allow_extra_args(false);
  verb->add_option("--tag", flags->choice.tags, "only snapshots with all of these tags")
      ->allow_extra_args(false);
  verb->add_option("--path", flags->choice.paths, "only snapshots of this path")
      ->allow_extra_args(false);
  add_policy(verb, *flags);
  verb->add_option("-g,--group-by", flags->group_by, "the policy holds for each of these")
      ->capture_default_str();
  verb->add_flag("-c,--compact", flags->compact, "without paths");
  verb->add_flag("--prune", flags->prune, "prunes data that only they needed");
  add_prune_flags(verb, flags->pruning);
  verb->add_flag("-n,--dry-run", flags->pruning.dry_run,
                 "removes nothing, prints what would be removed");
  verb->add_flag("--unsafe-allow-remove-all", flags->remove_all, "a group may go as a whole");
  verbs.run(verb, [flags](Session& session) { return forget(*flags, session); });
}

}  // namespace holdfast::cli
