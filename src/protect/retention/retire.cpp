#include <holdfast/model/time.h>
#include <holdfast/protect/retire.h>

namespace holdfast::protect {

PointSeen point_of(const kube::Cached& object, const std::vector<model::Condition>& conditions,
                   bool over, WallTime now) {
  PointSeen out{.object = object};
  const model::Value value = object.value();
  out.point.time = model::parse_rfc3339(model::string_at(value, {"metadata", "creationTimestamp"}))
                       .value_or(now);
  out.point.running = !over;
  for (const model::Condition& each : conditions)
    if (each.type == "Completed") out.point.good = each.status == "True";
  return out;
}

std::optional<control::Write> retire_one(const kube::Resource& resource,
                                         const std::vector<PointSeen>& points,
                                         const RetentionPolicy& policy, WallTime now) {
  std::vector<RetainedPoint> times;
  times.reserve(points.size());
  for (const PointSeen& each : points) times.push_back(each.point);
  const std::vector<size_t> gone = expired(times, policy, now);
  if (gone.empty()) return std::nullopt;
  const PointSeen& oldest = points[gone.front()];
  if (oldest.forgets) return control::remove(resource, oldest.object);
  model::Object merge{{"spec", model::Object{{"deletionPolicy", "Delete"}}}};
  return control::patch(resource, oldest.object, std::move(merge), control::Decides::Yes);
}

}  // namespace holdfast::protect
