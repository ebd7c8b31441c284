/// Validation of a Job's status: counters that only grow, an end that stays.
#include "kinds/batch/batch.h"

#include <fmt/format.h>

namespace holdfast::apiserver::batch {

using model::Value;

namespace {

bool is_true(const Value& job, std::string_view type) {
  for (const Value& condition : model::array_at(job, {"status", "conditions"}))
    if (model::string_at(condition, {"type"}) == type &&
        model::string_at(condition, {"status"}) == "True")
      return true;
  return false;
}

/// What a job's conditions say together.
struct Ends {
  explicit Ends(const Value& job)
      : complete(is_true(job, "Complete")),
        failed(is_true(job, "Failed")),
        failing(is_true(job, "FailureTarget")),
        succeeding(is_true(job, "SuccessCriteriaMet")) {}
  bool complete, failed, failing, succeeding;
  bool finished() const { return complete || failed; }
};

void check_uncounted(const Place& uncounted) {
  std::set<std::string, std::less<>> seen;
  for (std::string_view list : {"succeeded", "failed"})
    uncounted[list].each([&](const Place& uid) {
      if (uid.text().empty())
        uid.invalid("must not be empty");
      else if (!seen.emplace(uid.text()).second)
        uid.duplicate();
    });
}

/// The new status beside the old one. A rule that was broken before is not held against an update
/// that leaves it alone.
struct Change {
  Place status;
  const Value& old;
  Ends before;
  Ends now;

  bool of(std::string_view member) const {
    const Value* was = model::find(old, {"status", member});
    return !model::equal(was == nullptr ? Value() : *was, status[member].value());
  }
  bool completes() const { return before.complete != now.complete; }
  bool fails() const { return before.failed != now.failed; }
  bool finishes() const { return before.finished() != now.finished(); }
};

void check_conditions(const Change& change) {
  const Place conditions = change.status["conditions"];
  const Ends& now = change.now;
  const Ends& before = change.before;
  if (now.complete && now.failed && (change.completes() || change.fails()))
    conditions.invalid_unshown("cannot set Complete=True and Failed=true conditions");
  if (now.complete && now.failing && (change.completes() || before.failing != now.failing))
    conditions.invalid_unshown("cannot set Complete=True and FailureTarget=true conditions");
  if (now.failed && !now.failing && (change.fails() || change.of("failedIndexes")))
    conditions.invalid_unshown(
        "cannot set Failed=True condition without the FailureTarget=true condition");
  if (now.complete && !now.succeeding &&
      (change.completes() || before.succeeding != now.succeeding))
    conditions.invalid_unshown(
        "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
}

void check_times(const Change& change) {
  const Place completion = change.status["completionTime"];
  const Place start = change.status["startTime"];
  if (change.completes() || change.of("completionTime")) {
    if (completion.present() && !change.now.complete)
      completion.invalid("cannot set completionTime when there is no Complete=True condition");
    if (!completion.present() && change.now.complete)
      completion.required("completionTime is required for Complete jobs");
  }
  if ((change.of("startTime") || change.of("completionTime")) && start.present() &&
      completion.present() && completion.text() < start.text())  // both are UTC in one form
    completion.invalid("must be equal to or after `startTime`");
}

void check_finished(const Change& change, const Place& spec) {
  const Place& status = change.status;
  if (!change.now.finished()) return;
  if (status["active"].number() > 0 && (change.finishes() || change.of("active")))
    status["active"].invalid("active>0 is invalid for finished job");
  const bool never_ran =
      spec["suspend"].flag() && spec["completions"].present() && spec["completions"].number() == 0;
  if (!status["startTime"].present() && (change.finishes() || change.of("startTime")) && !never_ran)
    status["startTime"].required("startTime is required for finished job");
  const Place uncounted = status["uncountedTerminatedPods"];
  if ((!uncounted["failed"].empty() || !uncounted["succeeded"].empty()) &&
      (change.finishes() || change.of("uncountedTerminatedPods")))
    uncounted.invalid("must be empty for finished job");
  if (status["terminating"].number() > 0 && (change.finishes() || change.of("terminating")))
    status["terminating"].invalid("terminating>0 is invalid for finished job");
}

void check_indexes(const Change& change, const Place& spec) {
  const Place completed = change.status["completedIndexes"];
  const Place failed = change.status["failedIndexes"];
  if (change.of("completedIndexes")) {
    const std::string fault = index_list_fault(completed.text(), spec["completions"].number());
    if (spec["completions"].present() && !fault.empty())
      completed.invalid(fmt::format("error parsing completedIndexes: {}", fault));
    if (!completed.empty() && spec["completionMode"].text() != "Indexed")
      completed.invalid("cannot set non-empty completedIndexes when non-indexed completion mode");
  }
  if (change.of("failedIndexes") && failed.present() && !spec["backoffLimitPerIndex"].present())
    failed.invalid("cannot set non-null failedIndexes when backoffLimitPerIndex is null");
}

bool is_false(const Value& job, std::string_view type) {
  for (const Value& condition : model::array_at(job, {"status", "conditions"}))
    if (model::string_at(condition, {"type"}) == type &&
        model::string_at(condition, {"status"}) == "False")
      return true;
  return false;
}

void check_end_stays(const Place& status, const Value& job, const Value& old) {
  for (std::string_view type : {"Failed", "Complete", "FailureTarget"})
    if (is_true(old, type) && !is_true(job, type))
      status["conditions"].invalid_unshown(
          fmt::format("cannot disable the terminal {}=True condition", type));
  const bool may_shrink = model::string_at(job, {"spec", "completionMode"}) == "Indexed" &&
                          model::int_at(job, {"spec", "completions"}, -1) ==
                              model::int_at(job, {"spec", "parallelism"}, -2);
  for (std::string_view count : {"failed", "succeeded"})
    if (status[count].number() < model::int_at(old, {"status", count}, 0) &&
        !(may_shrink && count == "succeeded"))
      status[count].invalid(Value(status[count].number()),
                            fmt::format("cannot decrease the {} counter", count));
  const Value* completion = model::find(old, {"status", "completionTime"});
  if (completion != nullptr && status["completionTime"].present() &&
      !model::equal(*completion, status["completionTime"].value()))
    status["completionTime"].invalid("field is immutable");
  const Value* start = model::find(old, {"status", "startTime"});
  if (start != nullptr && !model::equal(*start, status["startTime"].value()) &&
      !model::bool_at(job, {"spec", "suspend"}, false) &&
      !(is_true(old, "Suspended") && is_false(job, "Suspended")))
    status["startTime"].required("startTime cannot be removed for unsuspended job");
  if (is_true(old, "SuccessCriteriaMet") && !is_true(job, "SuccessCriteriaMet"))
    status["conditions"].invalid_unshown("cannot disable the SuccessCriteriaMet=True condition");
}

}  // namespace

void check_job_status(const Value& object, const Value& old, model::FieldErrors& errors) {
  const Place job(object, errors);
  const Place status = job["status"];
  for (std::string_view count : {"active", "succeeded", "failed", "ready", "terminating"})
    status[count].non_negative();
  check_uncounted(status["uncountedTerminatedPods"]);
  const Change change{status, old, Ends(old), Ends(object)};
  check_conditions(change);
  check_times(change);
  check_finished(change, job["spec"]);
  check_indexes(change, job["spec"]);
  if (status["ready"].number() > status["active"].number() &&
      (change.of("ready") || change.of("active")))
    status["ready"].invalid("cannot set more ready pods than active");
  if (change.now.succeeding && change.now.failed)
    status["conditions"].invalid_unshown(
        "cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (change.now.succeeding && change.now.failing)
    status["conditions"].invalid_unshown(
        "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  check_end_stays(status, object, old);
}

}  // namespace holdfast::apiserver::batch
