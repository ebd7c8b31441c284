#include "repositories/plan.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/schedule.h>

#include "locations/folders.h"
#include "repositories/report.h"
#include "repositories/upkeep_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using control::Refusal;
using model::Object;

/// A pod that has not begun by then has its reason told.
constexpr auto kStartLimit = 5min;
/// A Job is over a moment before the cache has what its pod said.
constexpr auto kReportLimit = 30s;

Outcome wait(std::chrono::microseconds again, std::string reason, std::string message = "") {
  return Outcome::wait(
      std::max<std::chrono::milliseconds>(1ms, std::chrono::ceil<std::chrono::milliseconds>(again)),
      std::move(reason), std::move(message));
}

/// What was asked for is seen to, or refused.
Outcome drop_annotation(const RepositorySeen& seen, std::optional<control::Note> note = {}) {
  control::Write write = control::patch(
      kube::resource_of<Repository>(), seen.object,
      Object{{"metadata", Object{{"annotations", Object{{kRunAnnotation, nullptr}}}}}},
      control::Decides::Yes);
  write.note = std::move(note);
  return Outcome::act(std::move(write));
}

const JobSeen* find_job(const RepositorySeen& seen, std::string_view name) {
  for (const JobSeen& each : seen.jobs)
    if (each.name == name) return &each;
  return nullptr;
}

/// Why nothing can be done with it, if nothing can.
std::optional<Refusal> objection(const RepositorySeen& seen) {
  const Reference& location = seen.repository.spec.location;
  if (!location.ns.empty() && location.ns != seen.ns)
    return Refusal{"InvalidSpec",
                   fmt::format("spec.location.namespace is {}: upkeep runs beside the location, "
                               "so the Repository must be in its namespace",
                               location.ns)};
  if (!seen.location)
    return Refusal{seen.no_location.reason,
                   seen.no_location.message +
                       "; what the repository holds is untouched: make the location again, or "
                       "delete this Repository"};
  const BackupLocation::Spec& spec = seen.location->location.spec;
  if (spec.file && !seen.file_allowed)
    return folder_refusal(location.name, spec.file->path, seen.ns);
  if (spec.s3.has_value() == spec.file.has_value())
    return Refusal{
        "InvalidLocation",
        fmt::format("location {} must have exactly one of spec.s3 and spec.file", location.name)};
  if (!seen.missing_secret.empty())
    return Refusal{"SecretNotFound",
                   fmt::format("location {}: {}", location.name, seen.missing_secret)};
  return std::nullopt;
}

/// The condition that says so, once.
Outcome object(const RepositorySeen& seen, const Refusal& why) {
  const auto& [reason, message] = why;
  const model::Condition* before =
      control::find_condition(seen.repository.status.conditions, kHealthy);
  RepositoryReport report(seen);
  const bool dropped = report.status().running.has_value();
  report.status().running.reset();
  // When that is put right it is looked at again.
  report.status().opened_with.clear();
  if (!report.set(kHealthy, "False", reason, message) && !dropped) return Outcome::done();
  if (before == nullptr || before->reason != reason) report.note(true, reason, message);
  return report.outcome();
}

Outcome follow(const RepositorySeen& seen, const Repository::Run& run,
               const MoverSettings& settings) {
  if (run.asked_for && to_lower(seen.asked) == to_lower(run.kind) && !find_job(seen, run.job))
    return drop_annotation(seen);
  const JobSeen* job = find_job(seen, run.job);
  if (job == nullptr) return Outcome::act(start_upkeep(seen, settings));
  if (job->finished) {
    const WallTime ended = job->ended.value_or(seen.now);
    if (job->report.empty() && seen.now - ended < kReportLimit) return wait(1s, "JobReport");
    return conclude(seen, *job);
  }
  if (!job->has_pods) return wait(kPodPatience, "JobHasNoPod");
  if (job->trouble.empty() || !job->created || job->trouble == run.message)
    return wait(60s, "JobRuns", job->trouble);
  if (const WallTime late = *job->created + kStartLimit; seen.now < late)
    return wait(late - seen.now, "JobStarts", job->trouble);
  RepositoryReport report(seen);
  report.status().running->message = job->trouble;
  report.note(
      true, "UpkeepNotStarted",
      fmt::format("Job {} does not begin: {}; its pod's events say more", job->name, job->trouble));
  return report.outcome();
}

/// The intent, before anything is done.
Outcome begin(const RepositorySeen& seen, std::string_view kind, WallTime scheduled_for,
              bool asked_for) {
  RepositoryReport report(seen);
  Repository::Status& status = report.status();
  // Of two within a second the second has a Job of its own too.
  while (find_job(seen, job_name(seen, kind, scheduled_for)) != nullptr) scheduled_for += 1s;
  Repository::Run run;
  run.kind = kind;
  run.scheduled_for = model::to_rfc3339(scheduled_for);
  run.job = job_name(seen, kind, scheduled_for);
  run.asked_for = asked_for;
  status.running = run;
  status.retry.reset();
  status.opened_with = seen.access;
  // Those missed while nobody was there are made up by this one.
  if (kind == "Prune") status.prune_scheduled = model::to_rfc3339(seen.now);
  if (kind == "Check") status.check_scheduled = model::to_rfc3339(seen.now);
  if (kind != "Open")
    report.note(false, fmt::format("{}Started", kind), fmt::format("Job {}", run.job));
  return report.outcome();
}

/// What the first backup has made is known by its id from then on.
Outcome remember(const RepositorySeen& seen) {
  RepositoryReport report(seen);
  report.status().repository_id = seen.moved_id;
  // What was said of it before there was anything is no longer so.
  if (seen.repository.status.last_opened.empty()) report.status().opened_with.clear();
  return report.outcome();
}

/// Somebody says that what was there is gone for good. The wish stays in the status: the object may
/// be read by who does not know that it was deleted and made again.
Outcome give_up(const RepositorySeen& seen) {
  RepositoryReport report(seen);
  Repository::Status& status = report.status();
  if (status.anew_since.empty() || !status.repository_id.empty() || !status.last_opened.empty()) {
    status.anew_since = model::to_rfc3339(seen.now);
    status.repository_id.clear();
    status.last_opened.clear();
    status.retry.reset();
    status.opened_with = seen.access;
    report.set(kHealthy, "Unknown", "BegunAnew", "the next backup makes a new repository");
    report.note(false, "BegunAnew", "the next backup makes a new repository");
    return report.outcome();
  }
  return Outcome::act(control::patch(
      kube::resource_of<Repository>(), seen.object,
      Object{{"metadata", Object{{"annotations", Object{{kAnewAnnotation, nullptr}}}}}},
      control::Decides::Yes));
}

/// A mover has not found it, and nobody has looked since.
bool is_missed_anew(const RepositorySeen& seen) {
  const model::Condition* healthy =
      control::find_condition(seen.repository.status.conditions, kHealthy);
  const bool told =
      healthy != nullptr && healthy->status == "False" && healthy->reason.starts_with("Repository");
  const std::optional<WallTime> opened = model::parse_rfc3339(seen.repository.status.last_opened);
  return seen.last_missed && opened && *seen.last_missed > *opened && !told;
}

/// When a kind of upkeep is due, by its schedule or otherwise; nothing if never.
struct Times {
  Due prune{}, check{};
  std::optional<WallTime> count{}, retry{};
  std::string wrong{};  ///< with the schedules
};

Times times_of(const RepositorySeen& seen) {
  const Repository::Maintenance& wanted = seen.repository.spec.maintenance;
  const Repository::Status& status = seen.repository.status;
  Times out;
  const auto by_schedule = [&](const char* field, const std::string& expression,
                               const std::string& last) {
    const WallTime created = seen.created.value_or(seen.now);
    const ScheduleWish wish{.cron = expression,
                            .suspend = trim(expression).empty(),
                            .since = model::parse_rfc3339(last).value_or(created)};
    Due found = due({wish}, seen.now);
    if (found.error)
      out.wrong +=
          fmt::format("{}spec.maintenance.{}.schedule: {} ({})", out.wrong.empty() ? "" : "; ",
                      field, found.error->what(), found.error->hint());
    return found;
  };
  const bool writable = seen.location && !seen.location->location.spec.read_only;
  if (writable) out.prune = by_schedule("prune", wanted.prune.schedule, status.prune_scheduled);
  out.check = by_schedule("check", wanted.check.schedule, status.check_scheduled);
  if (status.retry) out.retry = model::parse_rfc3339(status.retry->at);
  const std::optional<WallTime> opened = model::parse_rfc3339(status.last_opened);
  if (opened && seen.last_backup > opened) out.count = *opened + kCountEvery;
  return out;
}

std::optional<Outcome> report_schedules(const RepositorySeen& seen, const Times& times) {
  RepositoryReport report(seen);
  if (times.wrong.empty()) {
    const auto text = [](const std::optional<WallTime>& time) {
      return time ? "at " + model::to_rfc3339(*time) : std::string("never");
    };
    if (!report.set(kScheduled, "True", "Scheduled",
                    fmt::format("next prune {}, next check {}", text(times.prune.next),
                                text(times.check.next))))
      return std::nullopt;
    return report.outcome();
  }
  const model::Condition* before =
      control::find_condition(seen.repository.status.conditions, kScheduled);
  if (!report.set(kScheduled, "False", "InvalidSchedule", times.wrong)) return std::nullopt;
  if (before == nullptr || before->message != times.wrong)
    report.note(true, "InvalidSchedule", times.wrong);
  return report.outcome();
}

/// What somebody asked for by the annotation.
Outcome answer(const RepositorySeen& seen) {
  const std::string asked = to_lower(trim(seen.asked));
  const bool prune = asked == "prune";
  const auto refuse = [&seen](std::string reason, std::string message) {
    return drop_annotation(seen,
                           control::Note{true, std::move(reason), std::move(message), "Upkeep"});
  };
  if (!prune && asked != "check")
    return refuse("UnknownUpkeep",
                  fmt::format("annotation holdfast.dev/run: {}: must be prune or check",
                              holdfast::quoted(seen.asked.substr(0, 50))));
  if (prune && seen.location->location.spec.read_only)
    return refuse("ReadOnlyLocation",
                  fmt::format("location {} is for restores only: nothing in it is pruned",
                              seen.location->name));
  return begin(seen, prune ? "Prune" : "Check", seen.now, true);
}

std::optional<Outcome> remove_old(const RepositorySeen& seen) {
  std::map<std::string, std::vector<const JobSeen*>> finished;
  for (const JobSeen& each : seen.jobs)
    if (each.finished && !each.deleting) finished[each.kind].push_back(&each);
  for (auto& [kind, jobs] : finished) {
    if (jobs.size() <= kJobsKept) continue;
    const auto* const oldest = *std::min_element(
        jobs.begin(), jobs.end(),
        [](const JobSeen* a, const JobSeen* b) { return a->created < b->created; });
    return Outcome::act(control::remove(kube::kJobs, oldest->object));
  }
  return std::nullopt;
}

}  // namespace

std::string job_name(const RepositorySeen& seen, std::string_view kind, WallTime scheduled_for) {
  std::string base = seen.name.substr(0, 40);
  while (base.ends_with('.')) base.pop_back();
  return control::child_name(fmt::format("{}-{}", base, to_lower(kind)), seen.uid,
                             fmt::format("{}-{}", kind, model::to_rfc3339(scheduled_for)));
}

Outcome plan_repository(const RepositorySeen& seen, const MoverSettings& settings) {
  const Repository::Status& status = seen.repository.status;
  if (seen.deleting) return Outcome::done();
  if (seen.is_given_up) return give_up(seen);
  if (status.repository_id.empty() && !seen.moved_id.empty()) return remember(seen);
  if (status.running && find_job(seen, status.running->job) != nullptr && seen.location)
    return follow(seen, *status.running, settings);
  if (const std::optional<Refusal> why = objection(seen)) return object(seen, *why);
  if (status.running) return follow(seen, *status.running, settings);
  // The location's own change wakes this.
  if (!seen.location_tried) return Outcome::done("LocationNotTried");
  if (!seen.asked.empty()) return answer(seen);
  if (status.opened_with != seen.access || is_missed_anew(seen))
    return begin(seen, "Open", seen.now, false);
  const Times times = times_of(seen);
  if (times.prune.missed) return begin(seen, "Prune", *times.prune.missed, false);
  if (times.check.missed) return begin(seen, "Check", *times.check.missed, false);
  if (times.retry && *times.retry <= seen.now)
    return begin(seen, status.retry->kind, *times.retry, false);
  if (times.count && *times.count <= seen.now) return begin(seen, "Open", seen.now, false);
  if (std::optional<Outcome> step = report_schedules(seen, times)) return *std::move(step);
  if (std::optional<Outcome> step = remove_old(seen)) return *std::move(step);
  std::optional<WallTime> next;
  for (const std::optional<WallTime>& each :
       {times.prune.next, times.check.next, times.count, times.retry})
    if (each && (!next || *each < *next)) next = each;
  return next ? wait(*next - seen.now, "NextUpkeep") : Outcome::done();
}

Repository::Maintenance default_maintenance(std::string_view seed) {
  const std::string drawn = sha256(seed);
  const auto below = [&drawn](size_t at, unsigned bound) {
    return (unsigned(uint8_t(drawn[at])) << 8 | uint8_t(drawn[at + 1])) % bound;
  };
  Repository::Maintenance out;
  out.prune.schedule = fmt::format("{} {} * * {}", below(0, 60), below(2, 24), below(4, 7));
  out.check.schedule = fmt::format("{} {} * * *", below(6, 60), below(8, 24));
  out.check.read_data_subset = "10%";
  return out;
}

}  // namespace holdfast::protect
