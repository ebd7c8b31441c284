/// ttl-after-finished-controller: deletes Jobs that have been finished for long enough.
#include "job/ttl.h"

#include <holdfast/model/time.h>

#include "known.h"

namespace holdfast::workloads {
namespace job {

std::optional<WallTime> expires_at(const model::Value& job) {
  const model::Value* ttl = model::find(job, {"spec", "ttlSecondsAfterFinished"});
  if (ttl == nullptr || !model::string_at(job, {"metadata", "deletionTimestamp"}).empty())
    return std::nullopt;
  for (const model::Value& condition : model::array_at(job, {"status", "conditions"})) {
    const std::string_view type = model::string_at(condition, {"type"});
    if ((type != "Complete" && type != "Failed") ||
        model::string_at(condition, {"status"}) != "True")
      continue;
    const auto end = model::parse_rfc3339(model::string_at(condition, {"lastTransitionTime"}));
    if (!end) return std::nullopt;
    return *end + std::chrono::seconds(model::int_at(*ttl, {}, 0));
  }
  return std::nullopt;
}

namespace {

using control::Outcome;

class TtlReconciler final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached job = pass.get(kube::kJobs, pass.key().ns, pass.key().name);
    if (!job) return Outcome::done();
    if (const auto wait = time_left(job.value(), pass.now())) return *wait;
    // The time may have been prolonged since the cache saw the Job; deleting cannot be taken back.
    const auto fresh = pass.live(kube::kJobs, pass.key().ns, pass.key().name);
    if (!fresh) {
      if (fresh.error().not_found()) return Outcome::done();
      return fresh.error().error.copy();
    }
    if (model::string_at(*fresh, {"metadata", "uid"}) != job.uid()) return Outcome::done();
    if (const auto wait = time_left(*fresh, pass.now())) return *wait;
    return Outcome::act(control::remove(kube::kJobs, job, "Foreground"));
  }

 private:
  static std::optional<Outcome> time_left(const model::Value& job, WallTime now) {
    const auto at = expires_at(job);
    if (!at) return Outcome::done();
    if (*at <= now) return std::nullopt;
    return Outcome::wait(std::chrono::ceil<std::chrono::milliseconds>(*at - now), "NotExpired");
  }
};

}  // namespace
}  // namespace job

control::ControllerSpec ttl_after_finished_controller() {
  control::ControllerSpec spec;
  spec.name = "ttl-after-finished-controller";
  control::Watch jobs;
  jobs.scope.resource = kube::kJobs;
  jobs.when = [](const kube::Change& change) {
    return change.after && job::expires_at(change.after.value()).has_value();
  };
  spec.watches = {std::move(jobs)};
  spec.make = [] { return std::make_unique<job::TtlReconciler>(); };
  return spec;
}

}  // namespace holdfast::workloads
