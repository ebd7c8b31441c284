#include "endpoints/trigger.h"

#include <holdfast/model/time.h>

namespace holdfast::workloads::endpoints {

void set_trigger(model::Object& annotations, const Service& service,
                 const std::vector<Backend>& pods, const Shown* before, const Shown& after) {
  constexpr std::string_view kTrigger = "endpoints.kubernetes.io/last-change-trigger-time";
  if (before == nullptr) {
    annotations[kTrigger] = model::string_at(service.value, {"metadata", "creationTimestamp"});
    return;
  }
  const model::Value* told = annotations.if_contains(kTrigger);
  const auto last = model::parse_rfc3339(told && told->is_string() ? model::view(told->get_string())
                                                                   : std::string_view());
  std::optional<WallTime> earliest;
  for (const Backend& pod : pods) {
    const auto now = after.find(pod.meta.uid);
    const auto then = before->find(pod.meta.uid);
    const bool shown = now != after.end(), was_shown = then != before->end();
    if (pod.changed == WallTime{} || (!shown && (!was_shown || pod.going()))) continue;
    if (shown && was_shown && now->second == then->second) continue;
    // One that was there and has not changed since is shown otherwise because the Service changed.
    if (was_shown && last && pod.changed <= *last) continue;
    if (!earliest || pod.changed < *earliest) earliest = pod.changed;
  }
  if (earliest)
    annotations[kTrigger] = model::to_rfc3339(*earliest);
  else
    annotations.erase(kTrigger);
}

}  // namespace holdfast::workloads::endpoints
