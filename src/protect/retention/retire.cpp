#include <holdfast/model/time.h>
#include <holdfast/protect/retire.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

/// The newest of those that count, as `expired` takes them.
std::vector<PointSeen>::iterator newest_good(std::vector<PointSeen>& points) {
  auto out = points.end();
  for (auto each = points.begin(); each != points.end(); ++each)
    if (each->point.good && !each->point.running &&
        (out == points.end() || each->point.time > out->point.time))
      out = each;
  return out;
}

/// Whether it is the same object still, stays, and holds what it is kept for.
bool stands(const kube::Cached& now, const PointSeen& seen) {
  if (!now || now.uid() != seen.object.uid() || now.being_deleted()) return false;
  const auto value = now.shared_value();
  const model::Array& conditions = model::array_at(*value, {"status", "conditions"});
  return std::any_of(conditions.begin(), conditions.end(), [](const model::Value& each) {
    return model::string_at(each, {"type"}) == "Completed" &&
           model::string_at(each, {"status"}) == "True";
  });
}

std::vector<RetainedPoint> times_of(const std::vector<PointSeen>& points) {
  std::vector<RetainedPoint> times;
  times.reserve(points.size());
  for (const PointSeen& each : points) times.push_back(each.point);
  return times;
}

}  // namespace

PointSeen point_of(const kube::Cached& object, const std::vector<model::Condition>& conditions,
                   bool over, WallTime now) {
  PointSeen out{.object = object};
  out.point.time = model::parse_rfc3339(
                       model::string_at(*object.shared_value(), {"metadata", "creationTimestamp"}))
                       .value_or(now);
  out.point.running = !over;
  for (const model::Condition& each : conditions)
    if (each.type == "Completed") out.point.good = each.status == "True";
  return out;
}

Result<void> confirm_newest(control::Pass& pass, const kube::Resource& resource,
                            std::vector<PointSeen>& points, const RetentionPolicy& policy,
                            WallTime now) {
  while (retire_one(resource, points, policy, now)) {
    const auto newest = newest_good(points);
    const kube::Cached held =
        HF_TRY(control::read_live(pass, resource, newest->object.ns(), newest->object.name()));
    if (stands(held, *newest)) return {};
    points.erase(newest);
  }
  return {};
}

control::Refusal held_by(const ForgetRule& rule, WallTime backed_up, WallTime now) {
  if (!rule.refusal.reason.empty()) return rule.refusal;
  if (backed_up + rule.minimum <= now) return {};
  return {"MinimumRetention", fmt::format("its location keeps it until {}",
                                          model::to_rfc3339(backed_up + rule.minimum))};
}

control::Refusal held_back(const std::vector<PointSeen>& points, const RetentionPolicy& policy,
                           WallTime now) {
  size_t count = 0;
  const PointSeen* oldest = nullptr;
  for (const size_t at : expired(times_of(points), policy, now)) {
    if (points[at].held.reason.empty()) continue;
    if (oldest == nullptr) oldest = &points[at];
    ++count;
  }
  if (oldest == nullptr) return {};
  return {oldest->held.reason, fmt::format("{} that retention lets go stay, the oldest is {}: {}",
                                           count, oldest->object.name(), oldest->held.message)};
}

std::optional<control::Write> retire_one(const kube::Resource& resource,
                                         const std::vector<PointSeen>& points,
                                         const RetentionPolicy& policy, WallTime now) {
  for (const size_t at : expired(times_of(points), policy, now)) {
    const PointSeen& oldest = points[at];
    if (!oldest.held.reason.empty()) continue;
    if (oldest.forgets) return control::remove(resource, oldest.object);
    model::Object merge{{"spec", model::Object{{"deletionPolicy", "Delete"}}}};
    return control::patch(resource, oldest.object, std::move(merge), control::Decides::Yes);
  }
  return std::nullopt;
}

}  // namespace holdfast::protect
