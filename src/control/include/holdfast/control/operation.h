/// Operations: effects outside the API server (a command in a pod, a write to an object store),
/// with the intent in the owner's status before the effect begins and the outcome after it ends:
///
///   status.operations[]: one record per operation name, in the order they were begun
///     name        "quiesce"             what it is, unique within the object
///     attempt     1                     grows each time the effect is begun again
///     startedAt   2026-01-02T03:04:05Z  intent recorded
///     finishedAt  …                     absent: it was begun and we do not know how it ended
///     outcome     Succeeded | Failed    with finishedAt
///     message     …                     the error, or what the effect says of its result
///     result      {…}                   small facts the next step needs
#pragma once

#include <holdfast/kube/cached.h>
#include <holdfast/kube/client.h>
#include <holdfast/model/fields.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace holdfast::control {

struct OperationRecord {
  std::string name{};
  int64_t attempt = 0;
  std::string started_at{}, finished_at{};
  std::string outcome{}, message{};
  std::optional<model::Value> result{};
  bool begun_and_unknown() const { return attempt > 0 && finished_at.empty(); }
  bool succeeded() const { return outcome == "Succeeded"; }

  template <class V>
  void fields(V& v) {
    v.required("name", name, "name of the operation, unique within the object");
    v.required("attempt", attempt, "number of attempts begun");
    v.optional("startedAt", started_at, "time at which the intent of this attempt was recorded");
    v.optional("finishedAt", finished_at, "end of the attempt; absent: end not known");
    v.optional("outcome", outcome, "Succeeded or Failed");
    v.optional("message", message, "error, or a note on the result");
    v.optional("result", result, "data that later steps need");
  }
};

/// The record of that name in `status.operations` of the object, if there.
std::optional<OperationRecord> find_operation(const model::Value& object, std::string_view name);
/// A merge patch of the status with that record in place of the one of its name, at the end.
model::Value with_operation(const model::Value& object, const OperationRecord& record);

/// A named effect on behalf of `owner`. A pass that yields it does one of two things: if the
/// record of this attempt is not in the owner's status as seen, it writes the intent and nothing
/// else; if it is there, it runs the effect and writes the outcome. A crash between the two leaves
/// `begun_and_unknown`, and the plan of the next pass says whether to run it again (idempotent
/// effects) or to compensate by an operation of another name.
struct Operation {
  std::string name{};
  kube::Resource resource{};
  kube::Cached owner{};
  int64_t attempt = 1;
  /// False: what an earlier process began and left without an outcome is not run again; it is
  /// recorded as Failed with the message "interrupted", and the plan compensates.
  bool idempotent = true;
  /// How long `run` may take: the fence is asked whether the lease lasts so long. 0 = as a request;
  /// more than the controller's `longest_operation` is a defect, and nothing runs.
  std::chrono::milliseconds limit{0};
  /// Runs with the intent recorded. The value goes into the record's `result`; an error makes the
  /// outcome Failed, and the key comes back after its back-off.
  std::function<Result<model::Value>()> run{};
};

}  // namespace holdfast::control
