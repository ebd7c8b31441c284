#include "drivers/plan.h"

#include <holdfast/control/made_for.h>
#include <holdfast/control/report.h>

namespace holdfast::protect {
namespace {

using control::Outcome;

/// How often the state of the process, which no watch tells, is compared with the object.
constexpr std::chrono::seconds kLookAgain{2};

model::Condition running(const DriverSeen& seen) {
  model::Condition out;
  out.type = "Running";
  out.status = "False";
  out.observed_generation = seen.generation;
  if (!seen.chosen) {
    out.reason = "SwitchedOff";
    out.message = "the operator was started without it (--drivers)";
    return out;
  }
  out.status = seen.part->running ? "True" : "False";
  out.reason = seen.part->reason;
  out.message = seen.part->message;
  return out;
}

}  // namespace

Outcome plan_driver(const DriverSeen& seen) {
  if (seen.chosen && !seen.part) return Outcome::wait(kLookAgain, "NotStarted");
  const kube::Resource& records = kube::resource_of<DriverRecord>();
  if (!seen.object)
    return Outcome::act(control::create(
        records, control::made_object(records, model::Object{{"name", seen.name}}, {})));
  if (seen.deleting) return Outcome::done();
  DriverRecord::Status status = seen.record.status;
  if (model::set_condition(status.conditions, running(seen), model::to_rfc3339(seen.now)))
    return Outcome::act(control::write_status(seen.record, seen.object, std::move(status)));
  if (!seen.chosen) return Outcome::done();
  return Outcome::wait(kLookAgain, "Watching");
}

}  // namespace holdfast::protect
