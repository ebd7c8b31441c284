#include <holdfast/protect/cut/owed.h>
#include <holdfast/protect/cut/window_operations.h>

namespace holdfast::protect {
namespace {

using model::Value;

void measure(control::Metrics& metrics, const std::string& metric,
             const control::Metrics::Labels& labels, const WindowResult& result) {
  using std::chrono::microseconds;
  if (!result.quiesced) return;
  metrics.took(metric + "_quiesce_acquire_seconds",
               "Time from the first command to the last lock of a window.", labels,
               microseconds(result.acquire_micros));
  metrics.took(metric + "_freeze_window_seconds",
               "Time from the first lock to the last release of a window.", labels,
               microseconds(result.window_micros));
  if (result.reason.empty())
    metrics.took(metric + "_cut_skew_seconds",
                 "Time between the first snapshot of a cut and the last one observed.", labels,
                 microseconds(result.skew_micros));
}

}  // namespace

bool still_there(control::Pass& pass, const CutInputs& inputs, const QuiesceTarget& target) {
  const auto found = pass.live(kube::kPods, inputs.ns, target.where.pod);
  if (!found) return !found.error().not_found();
  const kube::Cached pod = kube::Cached::from_value(*found).take();
  for (const PodRecord& each : inputs.pods) {
    if (each.name != target.where.pod) continue;
    if (each.uid != pod.uid()) return false;
    const std::string id = pod_record(pod, each.container).container_id;
    return target.where.container != each.container || id == each.container_id;
  }
  return true;
}

void set_window(control::Operation& operation, WindowTask task, const Outside& outside,
                std::string metric, control::Metrics::Labels labels) {
  operation.idempotent = false;
  operation.limit = task.limit;
  operation.run = [task = std::move(task), outside, metric = std::move(metric),
                   labels = std::move(labels)]() -> Result<Value> {
    const WindowResult result = run_window(task, outside);
    measure(outside.metrics, metric, labels, result);
    Value value;
    model::field_type<WindowResult>().encode(&result, value);
    return value;
  };
}

void set_release(control::Operation& operation, control::Pass& pass, const CutInputs& inputs,
                 const std::vector<Owed>& owed, const Outside& outside,
                 std::chrono::milliseconds limit) {
  operation.limit = limit;
  std::vector<QuiesceTarget> targets = owed_targets(inputs, owed);
  std::erase_if(targets, [&](const auto& each) { return !still_there(pass, inputs, each); });
  operation.run = [targets = std::move(targets), outside, limit]() -> Result<Value> {
    const std::vector<Owed> left = release_owed(targets, outside.exec, outside.clock, limit);
    Value value;
    model::field_type<std::vector<Owed>>().encode(&left, value);
    return value;
  };
}

}  // namespace holdfast::protect
