#include "log/plan.h"

#include <holdfast/model/time.h>
#include <holdfast/protect/cut/log_notes.h>
#include <holdfast/protect/cut/verdict.h>

#include "action/objects.h"
#include "action/report.h"
#include "log/objects.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;
using control::Outcome;

constexpr const char* kStep = "log";
/// A copy of a large volume takes long; nobody is held still by it.
constexpr auto kPatience = 1h;

std::vector<size_t> logs_of(const ActionSeen& seen) {
  std::vector<size_t> out;
  for (size_t i = 0; i < seen.members.size(); ++i)
    if (seen.action.status.inputs->claims[i].log) out.push_back(i);
  return out;
}

/// Without its log a base backup is no more than volumes of different instants. They are kept, and
/// say so.
Outcome give_up(const ActionSeen& seen, const std::string& why) {
  for (const size_t i : logs_of(seen))
    if (const std::optional<SnapshotSeen>& its = seen.members[i].snapshot; its)
      return its->deleting ? Outcome::wait(1s, "SnapshotsGoing")
                           : Outcome::act(control::remove(kube::kVolumeSnapshots, its->object));
  ActionReport report(seen);
  VolumeGroupAction::Status& status = report.status();
  std::erase_if(status.inputs->claims,
                [](const ClaimRecord& each) { return each.log.has_value(); });
  status.triggered->references.resources.resize(status.inputs->claims.size());
  status.consistency = Consistency::Unknown;
  status.consistency_reason = "LogNotKept";
  status.consistency_message = fmt::format(
      "the volumes were cut one after the other, and the log between the cuts was not kept "
      "completely: {}",
      why);
  return report.step(kStep, State::Error, why)
      .condition("ApplicationConsistent", false, status.consistency_reason,
                 status.consistency_message)
      .outcome();
}

Outcome kept(const ActionSeen& seen) {
  ActionReport report(seen);
  VolumeGroupAction::Status& status = report.status();
  // What was looked at just now is what is uploaded.
  for (const size_t i : logs_of(seen))
    status.inputs->claims[i].snapshot_uid = seen.members[i].snapshot->object.uid();
  status.consistency = Consistency::Application;
  status.consistency_reason = "BaseBackup";
  status.consistency_message = fmt::format(
      "cut within a base backup, held open until all cuts were seen ({} ms); its label "
      "and log are kept with them",
      seen.window_result->window_micros / 1000);
  return report.step(kStep, State::Completed)
      .condition("ApplicationConsistent", true, status.consistency_reason,
                 status.consistency_message)
      .outcome();
}

/// Since the window was over.
std::chrono::milliseconds time_since(const ActionSeen& seen) {
  for (const Step& each : seen.action.status.triggered->running)
    if (each.name == kStep)
      if (const auto began = model::parse_rfc3339(each.started_at))
        return std::chrono::duration_cast<std::chrono::milliseconds>(seen.now - *began);
  return {};
}

std::string said_of(const control::OperationRecord& check, std::string_view what) {
  return check.result ? std::string(model::string_at(*check.result, {what})) : std::string();
}

bool is_cut(const std::optional<SnapshotSeen>& its) {
  return its && !its->deleting && (its->cut || !its->error.empty());
}

/// Why the logs will not be kept, all of them: what is true of one stays true while the cuts of the
/// others are taken away. Empty while there is hope.
std::string hopeless(const ActionSeen& seen) {
  if (seen.log && !seen.log->finished_at.empty())
    if (std::string error = said_of(*seen.log, "error"); !error.empty()) return error;
  for (const size_t i : logs_of(seen)) {
    const MemberSeen& its = seen.members[i];
    if (!its.snapshot && !its.claim) return "the claim that it is on was deleted";
    if (!is_cut(its.snapshot) && time_since(seen) > kPatience)
      return "it was not cut within an hour";
  }
  return "";
}

/// Nothing when its cut is made, or refused.
std::optional<Outcome> cut_log(const ActionSeen& seen, size_t i) {
  const std::optional<SnapshotSeen>& its = seen.members[i].snapshot;
  if (is_cut(its)) return std::nullopt;
  if (!its) return Outcome::act(create_log_cut(seen, i));
  return Outcome::wait(std::clamp<std::chrono::milliseconds>(time_since(seen) / 16, 100ms, 5s),
                       its->deleting ? "SnapshotsGoing" : "WaitingForLog");
}

}  // namespace

void expect_logs(const ActionSeen& seen, const protect::WindowResult& window,
                 VolumeGroupAction::Status& status) {
  Result<std::vector<ClaimRecord>> logs = protect::log_claims(*status.inputs, window.notes);
  if (!logs) return;
  for (ClaimRecord& each : *logs) {
    status.triggered->references.resources.push_back(
        {.name = each.name, .ns = each.ns, .items = {{"snapshot", {cut_name(seen, &each)}}}});
    status.inputs->claims.push_back(std::move(each));
  }
  std::vector<Step>& steps = status.triggered->running;
  const auto backup = std::find_if(steps.begin(), steps.end(),
                                   [](const Step& each) { return each.name == "backup"; });
  steps.insert(
      backup,
      {.name = kStep, .started_at = model::to_rfc3339_micro(seen.now), .state = State::Started});
}

std::string log_cut_error(const ActionSeen& seen) {
  for (const size_t i : logs_of(seen))
    if (seen.members[i].snapshot && !seen.members[i].snapshot->error.empty())
      return seen.members[i].snapshot->error;
  return "";
}

std::string log_cuts(const ActionSeen& seen) {
  std::string out;
  for (const size_t i : logs_of(seen))
    if (seen.members[i].snapshot) out += fmt::format("{} ", seen.members[i].snapshot->object.uid());
  return out;
}

std::optional<Outcome> keep_logs(const ActionSeen& seen) {
  if (seen.action.status.consistency_reason != protect::kLogPending) return std::nullopt;
  if (const std::string why = hopeless(seen); !why.empty()) return give_up(seen, why);
  for (const size_t i : logs_of(seen))
    if (std::optional<Outcome> step = cut_log(seen, i)) return step;
  if (!seen.log) return Outcome::ask("log", 1);
  if (seen.log->begun_and_unknown()) return Outcome::ask("log", seen.log->attempt);
  if (said_of(*seen.log, "cuts") != log_cuts(seen))
    return Outcome::ask("log", seen.log->attempt + 1);
  return kept(seen);
}

bool logs_are_back(const ActionSeen& seen) {
  const RunStatus& restored = *seen.action.status.restored;
  return std::any_of(restored.running.begin(), restored.running.end(), [](const Step& each) {
    return each.name == kStep && each.state == State::Completed;
  });
}

std::optional<Refusal> log_trouble(const ActionSeen& seen) {
  for (const size_t i : logs_of(seen))
    if (seen.members[i].prover && seen.members[i].prover_phase == "Failed")
      return Refusal{"LogNotPutBack",
                     fmt::format("the log of the server in pod {} could not be put back: {}",
                                 seen.action.status.inputs->claims[i].log->pod,
                                 seen.members[i].prover_message)};
  return std::nullopt;
}

std::optional<Outcome> put_logs_back(const ActionSeen& seen, const GroupSettings& settings) {
  const std::vector<size_t> logs = logs_of(seen);
  if (logs.empty()) return std::nullopt;
  if (!logs_are_back(seen)) {
    for (const size_t i : logs) {
      if (!seen.members[i].prover) return Outcome::act(create_log_pod(seen, i, settings));
      if (seen.members[i].prover_phase != "Succeeded")
        return Outcome::wait(1s, "PuttingLogBack", seen.members[i].prover_message);
    }
    // Written down before anything is switched: never again once a server may run on it.
    return ActionReport(seen).step(kStep, State::Completed).outcome();
  }
  for (const size_t i : logs) {
    const MemberSeen& its = seen.members[i];
    if (std::optional<Outcome> step = protect::handover::remove_prover(its)) return step;
    // Nobody would ever look for what a class that retains its volumes leaves of it.
    if (its.staged && !its.staged->deleting && its.fresh && its.fresh->policy != "Delete")
      return Outcome::act(protect::handover::let_go_with_claim(*its.fresh));
    if (its.staged) return protect::handover::remove_staged(its);
  }
  return std::nullopt;
}

}  // namespace holdfast::drivers::volumegroup
