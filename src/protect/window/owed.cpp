#include <holdfast/model/time.h>
#include <holdfast/protect/cut/owed.h>

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::OperationRecord;
using model::Value;
using std::chrono::milliseconds;

/// The pause before the next try of what is owed.
std::chrono::seconds pause_after(int64_t attempt) {
  return std::chrono::seconds(std::min<int64_t>(int64_t(1) << std::min<int64_t>(attempt, 5), 30));
}

/// What a try left owed, if one has ended.
std::optional<std::vector<Owed>> left_by(const OperationRecord& record) {
  if (record.finished_at.empty() || !record.result) return std::nullopt;
  std::vector<Owed> out;
  if (!model::field_type<std::vector<Owed>>().decode(&out, *record.result, "")) return std::nullopt;
  return out;
}

bool same(const std::vector<Owed>& a, const std::vector<Owed>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Owed& x, const Owed& y) {
    return x.pod == y.pod && x.commands == y.commands && x.error == y.error;
  });
}

milliseconds until(const std::string& ended, std::chrono::seconds pause, WallTime now) {
  const WallTime due = model::parse_rfc3339(ended).value_or(now) + pause;
  return std::chrono::ceil<milliseconds>(due - now);
}

void measure(control::Metrics& metrics, const std::string& metric,
             const control::Metrics::Labels& labels, const WindowResult& result) {
  using std::chrono::microseconds;
  if (!result.quiesced) return;
  metrics.took(metric + "_quiesce_acquire_seconds",
               "Time from the first command to the last lock of a group.", labels,
               microseconds(result.acquire_micros));
  metrics.took(metric + "_freeze_window_seconds",
               "Time from the first lock to the last release of a group.", labels,
               microseconds(result.window_micros));
  if (result.reason.empty())
    metrics.took(metric + "_cut_skew_seconds",
                 "Time between the first cut of a group and the last one observed.", labels,
                 microseconds(result.skew_micros));
}

}  // namespace

WindowResult interrupted_window() {
  WindowResult out;
  out.reason = "Interrupted";
  out.message = "the operator ended inside the window; its locks were released";
  return out;
}

std::vector<Owed> all_owed(const CutInputs& inputs) {
  std::vector<Owed> out;
  for (const QuiesceTarget& target : quiesce_task(inputs).targets) {
    Owed each{.pod = target.where.pod};
    for (const QuiesceCommand& command : target.after) each.commands.push_back(command.name);
    if (!each.commands.empty()) out.push_back(std::move(each));
  }
  return out;
}

std::vector<QuiesceTarget> owed_targets(const CutInputs& inputs, const std::vector<Owed>& owed) {
  std::vector<QuiesceTarget> out;
  for (const QuiesceTarget& target : quiesce_task(inputs).targets)
    for (const Owed& debt : owed) {
      if (debt.pod != target.where.pod) continue;
      QuiesceTarget left{.where = target.where};
      for (const QuiesceCommand& each : target.after)
        if (std::find(debt.commands.begin(), debt.commands.end(), each.name) != debt.commands.end())
          left.after.push_back(each);
      if (!left.after.empty()) out.push_back(std::move(left));
    }
  return out;
}

std::string leak_text(const std::vector<Owed>& owed) {
  if (owed.empty()) return "";
  return fmt::format("pod {} may still be quiesced; post actions not confirmed: {}",
                     owed.front().pod, owed.front().error);
}

NextRelease next_release(const std::optional<OperationRecord>& last, const std::vector<Owed>& owed,
                         WallTime now) {
  using Kind = NextRelease::Kind;
  if (!last) return {};
  if (last->begun_and_unknown()) return {.attempt = last->attempt};
  if (std::optional<std::vector<Owed>> left = left_by(*last); left && !same(*left, owed))
    return {.kind = Kind::Tell, .left = std::move(*left)};
  const milliseconds again = until(last->finished_at, pause_after(last->attempt), now);
  if (again > 0ms) return {.kind = Kind::Wait, .again = again};
  return {.attempt = last->attempt + 1};
}

std::optional<milliseconds> guards_act_for(const CutInputs& inputs, const OperationRecord& window,
                                           const std::optional<WindowResult>& result,
                                           const std::optional<OperationRecord>& release,
                                           WallTime now) {
  const bool sent_home = result && !release && !result->lingering;
  if (sent_home || inputs.quiescing.post_actions.empty()) return std::nullopt;
  const milliseconds left =
      until(release ? release->finished_at : window.finished_at,
            std::chrono::seconds(inputs.quiescing.freeze_deadline_seconds), now);
  if (left < 0ms) return std::nullopt;
  return left + 1ms;
}

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
                 const std::vector<Owed>& owed, const Outside& outside) {
  std::vector<QuiesceTarget> targets = owed_targets(inputs, owed);
  std::erase_if(targets, [&](const auto& each) { return !still_there(pass, inputs, each); });
  operation.run = [targets = std::move(targets), outside]() -> Result<Value> {
    const std::vector<Owed> left = release_owed(targets, outside.exec, outside.clock);
    Value value;
    model::field_type<std::vector<Owed>>().encode(&left, value);
    return value;
  };
}

}  // namespace holdfast::protect
