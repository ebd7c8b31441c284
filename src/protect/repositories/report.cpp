#include "repositories/report.h"

#include <holdfast/model/time.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

/// Reasons that say something of the repository itself, whatever was being done.
bool is_about_health(std::string_view reason) {
  constexpr std::array kReasons = {
      "WrongPassword", "AccessDenied",      "BucketNotFound", "RepositoryNotFound", "Unreachable",
      "DamagedData",   "RepositoryChanged", "MarkerNotFound", "MarkerChanged",      "NotUsable"};
  return std::any_of(kReasons.begin(), kReasons.end(),
                     [reason](const char* each) { return reason == each; });
}

/// What a person can do, by the reason.
std::string way_out(const RepositorySeen& seen, std::string_view reason) {
  const BackupLocation::Spec& spec = seen.location->location.spec;
  if (reason == "WrongPassword" && spec.password)
    return fmt::format(
        "entry {} of Secret {}/{} is another password than the repository's: put "
        "that one back, or add this one with holdfast repo key add",
        spec.password->key, seen.ns, spec.password->name);
  if (reason == "AccessDenied" && spec.credential)
    return fmt::format("the key is in Secret {}/{}", seen.ns, spec.credential->name);
  if (reason == "RepositoryNotFound")
    return fmt::format(
        "its disk may not be mounted, it may have been removed, or location {} points elsewhere "
        "now: bring it back, correct the location, or, if it is gone for good, annotate this "
        "Repository with {}=yes",
        seen.location->name, kAnewAnnotation);
  if (reason == "DamagedData")
    return "the log of the Job names all errors; holdfast repo repair saves what can be saved; "
           "then make new backups of the data that still exists";
  return "";
}

/// "Checked", "Pruned"; "" for a look.
std::string condition_of(std::string_view kind) {
  if (kind == "Check") return "Checked";
  return kind == "Prune" ? "Pruned" : "";
}

void take_success(const RepositorySeen& seen, const UpkeepReport& said, RepositoryReport& report) {
  Repository::Status& status = report.status();
  status.size = size_text(said.size);
  status.snapshots = said.snapshots;
  const std::string now = model::to_rfc3339(seen.now);
  status.last_opened = now;
  if (!said.repository_id.empty()) status.repository_id = said.repository_id;
  const std::string condition = condition_of(said.kind);
  if (!condition.empty()) {
    report.set(condition, "True", condition, said.summary);
    report.note(false, condition, said.summary);
  }
  if (said.kind == "Prune") status.last_prune = now;
  if (said.kind == "Check") {
    status.last_check = now;
    status.oldest_unverified_data = said.oldest_unverified;
    report.set(kHealthy, "True", "Checked", said.summary);
    return;
  }
  // It opens, which is all that a look and a prune can say.
  const model::Condition* checked =
      control::find_condition(seen.repository.status.conditions, "Checked");
  if (checked != nullptr && checked->status == "True")
    report.set(kHealthy, "True", "Checked", "last checked at " + status.last_check);
  else if (checked == nullptr || checked->reason != "DamagedData")
    report.set(kHealthy, "Unknown", "NotChecked",
               "the repository opens; it has not been checked yet");
}

/// It was there: until it is back nothing is put into its location, so it is looked for.
bool is_missed(const RepositorySeen& seen, std::string_view reason) {
  const Repository::Status& status = seen.repository.status;
  return (!status.repository_id.empty() || !status.last_opened.empty()) &&
         (reason == "RepositoryNotFound" || reason == "RepositoryChanged");
}

void take_failure(const RepositorySeen& seen, const UpkeepReport& said, RepositoryReport& report) {
  std::string message = said.message;
  if (const std::string out = way_out(seen, said.reason); !out.empty()) message += "; " + out;
  const std::string condition = condition_of(said.kind);
  if (!condition.empty()) report.set(condition, "False", said.reason, message);
  if (is_about_health(said.reason)) report.set(kHealthy, "False", said.reason, message);
  report.note(true, said.reason, fmt::format("{}: {}", said.kind, message));
  if (said.kind == "Check" && said.reason == "DamagedData")
    report.status().last_check = model::to_rfc3339(seen.now);
  const bool missed = is_missed(seen, said.reason);
  if (said.again || missed)
    report.status().retry = Repository::Retry{
        missed ? "Open" : said.kind,
        model::to_rfc3339(seen.now + (missed || said.kind == "Open" ? 10min : 60min))};
}

}  // namespace

control::Outcome conclude(const RepositorySeen& seen, const JobSeen& job) {
  RepositoryReport report(seen);
  const Repository::Run& run = *seen.repository.status.running;
  Result<UpkeepReport> parsed = parse_upkeep_report(job.report);
  UpkeepReport said;
  if (parsed) {
    said = parsed.take();
  } else {
    said.reason = "UpkeepDied";
    said.again = true;
    said.message = fmt::format("Job {} ended without a report: {}", job.name,
                               job.trouble.empty() ? "see the events of its pod" : job.trouble);
  }
  said.kind = run.kind;
  report.status().running.reset();
  report.status().retry.reset();
  if (said.reason.empty())
    take_success(seen, said, report);
  else
    take_failure(seen, said, report);
  return report.outcome();
}

std::string size_text(int64_t bytes) {
  constexpr std::array kUnits = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  size_t unit = 0;
  while (bytes >= 10240 && unit + 1 < kUnits.size()) {
    bytes = (bytes + 1023) / 1024;
    ++unit;
  }
  return fmt::format("{}{}", bytes, kUnits[unit]);
}

}  // namespace holdfast::protect
