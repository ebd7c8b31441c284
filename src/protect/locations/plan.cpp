#include "locations/plan.h"

#include <holdfast/base/text.h>
#include <holdfast/control/report.h>
#include <holdfast/model/time.h>

#include "locations/folders.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using control::find_condition;
using control::Outcome;
using model::Condition;

constexpr std::string_view kAvailable = "Available", kDefaultConflict = "DefaultConflict";

/// What can be said without asking the location.
std::optional<Condition> plain_verdict(const LocationLook& seen) {
  const BackupLocation::Spec& spec = seen.location.spec;
  if (const std::string wrong = objection(spec); !wrong.empty())
    return Condition{std::string(kAvailable), "False", "InvalidSpec", wrong, "", 0};
  if (spec.file && !seen.file_allowed) {
    control::Refusal no = folder_refusal(seen.name, spec.file->path, seen.ns);
    return Condition{std::string(kAvailable), "False", std::move(no.reason),
                     std::move(no.message),   "",      0};
  }
  if (spec.file && !seen.file_here)
    return Condition{std::string(kAvailable),
                     "Unknown",
                     "FolderOfNode",
                     fmt::format("folder {} is on the node where a mover runs: the mover checks it",
                                 spec.file->path),
                     "",
                     0};
  return std::nullopt;
}

bool is_due(const LocationLook& seen) {
  const BackupLocation::Status& status = seen.location.status;
  const Condition* last = find_condition(status.conditions, kAvailable);
  const std::optional<WallTime> tried = model::parse_rfc3339(status.last_checked);
  if (last == nullptr || last->observed_generation != seen.generation || !tried) return true;
  if (status.secret_versions != seen.secret_versions) return true;
  // A clock that was put back must not keep it untried.
  return seen.now - *tried >= kTryEvery || *tried - seen.now > kTryEvery;
}

std::optional<BackupLocation::Phase> phase_of(const Condition& available) {
  if (available.status == "True") return BackupLocation::Phase::Available;
  if (available.status == "False") return BackupLocation::Phase::Unavailable;
  return std::nullopt;
}

/// The status with this verdict, if that is news; an event if it is another one than before.
std::optional<Outcome> report(const LocationLook& seen, const Condition& verdict) {
  control::Report<BackupLocation> report(seen.location, seen.generation, seen.now, "Try");
  const Condition* before = find_condition(seen.location.status.conditions, kAvailable);
  const bool turned =
      before == nullptr || before->status != verdict.status || before->reason != verdict.reason;
  if (turned && verdict.status != "Unknown")
    report.note(verdict.status == "False", verdict.reason, verdict.message);
  report.status().phase = phase_of(verdict);
  const bool changed = report.set(kAvailable, verdict.status, verdict.reason, verdict.message);
  if (!seen.trial && !changed) return std::nullopt;
  if (seen.trial) {
    report.status().last_checked = model::to_rfc3339(seen.now);
    report.status().secret_versions = seen.secret_versions;
  }
  return report.outcome(seen.object);
}

/// Whether there is one default location, if this is one.
std::optional<Outcome> report_defaults(const LocationLook& seen) {
  control::Report<BackupLocation> report(seen.location, seen.generation, seen.now, "Compare");
  const bool known = find_condition(seen.location.status.conditions, kDefaultConflict) != nullptr;
  if (!seen.location.spec.is_default || seen.other_defaults.empty()) {
    if (!known) return std::nullopt;
    report.drop_condition(kDefaultConflict);
    return report.outcome(seen.object);
  }
  const std::string message = fmt::format(
      "namespace {} has other default locations: {}; set spec.default to false in all but one",
      seen.ns, join(seen.other_defaults, ", "));
  if (!known) report.note(true, "SeveralDefaults", message);
  if (!report.set(kDefaultConflict, "True", "SeveralDefaults", message)) return std::nullopt;
  return report.outcome(seen.object);
}

}  // namespace

std::string objection(const BackupLocation::Spec& spec) {
  if (spec.s3.has_value() == spec.file.has_value())
    return "exactly one of spec.s3 and spec.file must be given";
  if (spec.s3 && !spec.credential)
    return "spec.credential must name the Secret with the bucket's access key";
  if (!spec.password || spec.password->name.empty())
    return "spec.password must name the Secret with the password of the repositories";
  if (spec.s3 && spec.s3->endpoint.empty() && spec.s3->region.empty())
    return "spec.s3.endpoint must be given, or spec.s3.region for Amazon's own";
  return "";
}

Outcome plan_location(const LocationLook& seen) {
  if (seen.deleting) return Outcome::done();
  std::optional<Condition> verdict = plain_verdict(seen);
  if (!verdict && !seen.trial && is_due(seen)) return Outcome::ask(std::string(kTry));
  if (seen.trial)
    verdict = Condition{std::string(kAvailable),
                        seen.trial->good ? "True" : "False",
                        seen.trial->reason,
                        seen.trial->message,
                        "",
                        0};
  if (verdict)
    if (std::optional<Outcome> news = report(seen, *verdict)) return *std::move(news);
  if (std::optional<Outcome> step = report_defaults(seen)) return *std::move(step);
  if (verdict) return Outcome::done();
  const WallTime tried = model::parse_rfc3339(seen.location.status.last_checked).value_or(seen.now);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(tried + kTryEvery - seen.now);
  return Outcome::wait(left, "NextTry");
}

}  // namespace holdfast::protect
