#include "locations/plan.h"

#include <holdfast/base/text.h>
#include <holdfast/control/report.h>
#include <holdfast/model/time.h>

#include "locations/folders.h"
#include "locations/resolve.h"

#include <fmt/format.h>

#include <algorithm>

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
  return std::nullopt;
}

/// What a person has to mend in a Secret is looked at again soon, and the longer it has been so the
/// later: Secrets are not watched, since who may watch one may read all of them.
std::chrono::seconds pause_after(const Condition& last, WallTime now) {
  using namespace std::chrono_literals;
  const bool by_secret = last.reason == "SecretNotFound" || last.reason == "SecretKeyMissing" ||
                         last.reason == "AccessDenied";
  const auto since = model::parse_rfc3339(last.last_transition_time);
  if (!by_secret || !since || now < *since) return kTryEvery;
  return std::clamp<std::chrono::seconds>(
      std::chrono::floor<std::chrono::seconds>(now - *since) / 4, 2s, kTryEvery);
}

/// Nothing while it has not been tried as it is now.
std::optional<WallTime> next_try(const LocationLook& seen) {
  const BackupLocation::Status& status = seen.location.status;
  const Condition* last = find_condition(status.conditions, kAvailable);
  const std::optional<WallTime> tried = model::parse_rfc3339(status.last_checked);
  if (last == nullptr || last->observed_generation != seen.generation || !tried)
    return std::nullopt;
  return *tried + pause_after(*last, seen.now);
}

bool is_due(const LocationLook& seen) {
  const std::optional<WallTime> next = next_try(seen);
  // A clock that was put back must not keep it untried.
  return !next || *next <= seen.now || *next - seen.now > 2 * kTryEvery;
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
    report.status().secret_versions = seen.trial->secret_versions;
    if (!seen.trial->marker.empty()) report.status().marker = seen.trial->marker;
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
  if (!minimum_retention(spec))
    return fmt::format("spec.minimumRetention: {} is not a time such as 30d or 1y6m",
                       spec.minimum_retention);
  return "";
}

Outcome plan_location(const LocationLook& seen) {
  if (seen.deleting) return Outcome::done();
  std::optional<Condition> verdict = plain_verdict(seen);
  const bool is_tried = !verdict;
  if (!verdict && !seen.trial && is_due(seen)) return Outcome::ask(std::string(kTry));
  if (seen.trial)
    verdict = Condition{std::string(kAvailable),
                        seen.trial->unknown ? "Unknown"
                        : seen.trial->good  ? "True"
                                            : "False",
                        seen.trial->reason,
                        seen.trial->message,
                        "",
                        0};
  // That it answers is not enough: what lies there is not what did.
  if (!seen.lost.reason.empty() && (!verdict || verdict->status != "False"))
    verdict =
        Condition{std::string(kAvailable), "False", seen.lost.reason, seen.lost.message, "", 0};
  if (verdict)
    if (std::optional<Outcome> news = report(seen, *verdict)) return *std::move(news);
  if (std::optional<Outcome> step = report_defaults(seen)) return *std::move(step);
  if (!is_tried) return Outcome::done();
  const WallTime next = next_try(seen).value_or(seen.now + kTryEvery);
  return Outcome::wait(std::chrono::ceil<std::chrono::milliseconds>(next - seen.now), "NextTry");
}

}  // namespace holdfast::protect
