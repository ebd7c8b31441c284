#include "locations/plan.h"

#include <holdfast/base/text.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

using Kind = LocationStep::Kind;
using model::Condition;

constexpr std::string_view kAvailable = "Available", kDefaultConflict = "DefaultConflict";

const Condition* find(const BackupLocation::Status& status, std::string_view type) {
  const auto found = std::find_if(status.conditions.begin(), status.conditions.end(),
                                  [type](const Condition& each) { return each.type == type; });
  return found == status.conditions.end() ? nullptr : &*found;
}

/// What can be said without asking the location.
std::optional<Condition> plain_verdict(const LocationLook& seen) {
  const BackupLocation::Spec& spec = seen.location.spec;
  if (const std::string wrong = objection(spec); !wrong.empty())
    return Condition{std::string(kAvailable), "False", "InvalidSpec", wrong, "", 0};
  if (spec.file && !seen.file_allowed)
    return Condition{std::string(kAvailable),
                     "False",
                     "FileLocationNotAllowed",
                     fmt::format("a folder of the machine, {}, may not be named in namespace {}: "
                                 "use a bucket, or a namespace of administrators",
                                 spec.file->path, seen.ns),
                     "",
                     0};
  if (spec.file && !seen.file_here)
    return Condition{std::string(kAvailable),
                     "Unknown",
                     "FolderOfNode",
                     fmt::format("folder {} is that of the node where a mover runs: the mover will "
                                 "tell",
                                 spec.file->path),
                     "",
                     0};
  return std::nullopt;
}

bool is_due(const LocationLook& seen) {
  const BackupLocation::Status& status = seen.location.status;
  const Condition* last = find(status, kAvailable);
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

/// The status with this verdict; an event if it is another one than before.
LocationStep report(const LocationLook& seen, Condition verdict) {
  LocationStep step{.kind = Kind::Report, .status = seen.location.status, .note = {}};
  const Condition* before = find(seen.location.status, kAvailable);
  const bool turned =
      before == nullptr || before->status != verdict.status || before->reason != verdict.reason;
  if (turned && verdict.status != "Unknown")
    step.note = control::Note{verdict.status == "False", verdict.reason, verdict.message, "Try"};
  verdict.observed_generation = seen.generation;
  step.status.phase = phase_of(verdict);
  const bool changed =
      model::set_condition(step.status.conditions, std::move(verdict), model::to_rfc3339(seen.now));
  if (seen.trial) {
    step.status.last_checked = model::to_rfc3339(seen.now);
    step.status.secret_versions = seen.secret_versions;
  } else if (!changed) {
    step.kind = Kind::None;
  }
  return step;
}

/// Whether there is one default location, if this is one.
std::optional<LocationStep> report_defaults(const LocationLook& seen) {
  LocationStep step{.kind = Kind::Report, .status = seen.location.status, .note = {}};
  std::vector<Condition>& conditions = step.status.conditions;
  if (!seen.location.spec.is_default || seen.other_defaults.empty()) {
    const auto gone =
        std::remove_if(conditions.begin(), conditions.end(),
                       [](const Condition& each) { return each.type == kDefaultConflict; });
    if (gone == conditions.end()) return std::nullopt;
    conditions.erase(gone, conditions.end());
    return step;
  }
  const std::string message = fmt::format(
      "namespace {} has other default locations: {}; set spec.default to false in all but one",
      seen.ns, join(seen.other_defaults, ", "));
  const bool known = find(seen.location.status, kDefaultConflict) != nullptr;
  if (!known) step.note = control::Note{true, "SeveralDefaults", message, "Compare"};
  Condition conflict{
      std::string(kDefaultConflict), "True", "SeveralDefaults", message, "", seen.generation};
  if (!model::set_condition(conditions, std::move(conflict), model::to_rfc3339(seen.now)))
    return std::nullopt;
  return step;
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

LocationStep plan_location(const LocationLook& seen) {
  if (seen.deleting) return {};
  std::optional<Condition> verdict = plain_verdict(seen);
  if (!verdict && !seen.trial && is_due(seen)) return {.kind = Kind::Try, .status = {}, .note = {}};
  if (seen.trial)
    verdict = Condition{std::string(kAvailable),
                        seen.trial->good ? "True" : "False",
                        seen.trial->reason,
                        seen.trial->message,
                        "",
                        0};
  if (verdict)
    if (LocationStep step = report(seen, *verdict); step.kind == Kind::Report) return step;
  if (std::optional<LocationStep> step = report_defaults(seen)) return *std::move(step);
  if (verdict) return {};
  const WallTime tried = model::parse_rfc3339(seen.location.status.last_checked).value_or(seen.now);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(tried + kTryEvery - seen.now);
  return {.kind = Kind::Wait, .status = {}, .note = {}, .again = left};
}

}  // namespace holdfast::protect
