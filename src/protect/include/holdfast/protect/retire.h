/// Retention over objects: points in time that are custom objects, each with what it made.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/control/refusal.h>
#include <holdfast/control/report.h>
#include <holdfast/model/object.h>
#include <holdfast/protect/locations.h>
#include <holdfast/protect/retention.h>

namespace holdfast::protect {

struct PointSeen {
  kube::Cached object{};
  RetainedPoint point{};
  /// What it made goes with it. Else its spec.deletionPolicy must say so first.
  bool forgets = false;
  /// Why what it made may not go, or not yet: it stays until then. No reason: it may.
  control::Refusal held{};
};

/// As its creation and the condition Completed say; `over`: nothing of it goes on.
PointSeen point_of(const kube::Cached& object, const std::vector<model::Condition>& conditions,
                   bool over, WallTime now);

/// Before any is let go, the newest good one is read from the server itself: it is the one that
/// stays. One that is gone, going, or good no more is taken out of `points`, and the next one is
/// read.
Result<void> confirm_newest(control::Pass& pass, const kube::Resource& resource,
                            std::vector<PointSeen>& points, const RetentionPolicy& policy,
                            WallTime now);

/// What a location says of a point that was backed up there at that time.
control::Refusal held_by(const ForgetRule& rule, WallTime backed_up, WallTime now);
/// What the policy lets go and its location does not: how many, and why the oldest of them stays;
/// no reason if there are none.
control::Refusal held_back(const std::vector<PointSeen>& points, const RetentionPolicy& policy,
                           WallTime now);

/// The condition of an object whose points are held back, and its event when that begins.
inline constexpr const char* kRetentionHeld = "RetentionHeld";
/// Brings it up to date; true if that is news.
template <class T>
bool tell_held(control::Report<T>& report, const control::Refusal& why) {
  const bool told = control::find_condition(report.status().conditions, kRetentionHeld) != nullptr;
  if (why.reason.empty()) {
    if (told) report.drop_condition(kRetentionHeld);
    return told;
  }
  if (!report.set(kRetentionHeld, "True", why.reason, why.message)) return false;
  if (!told) report.note(true, why.reason, why.message);
  return true;
}

/// Lets the oldest go that may, with all that it made; nothing when every one may stay.
std::optional<control::Write> retire_one(const kube::Resource& resource,
                                         const std::vector<PointSeen>& points,
                                         const RetentionPolicy& policy, WallTime now);

}  // namespace holdfast::protect
