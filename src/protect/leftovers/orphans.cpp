#include "leftovers/orphans.h"

#include <holdfast/base/walls.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/cut/handover.h>
#include <holdfast/protect/mover_object.h>

#include "moves/mover_pod.h"
#include "moves/observe.h"

#include <fmt/format.h>

#include <chrono>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using control::Outcome;

std::string move_uid(const kube::Cached& mover) {
  for (const auto& [label, value] : mover.labels())
    if (label == kMoveLabel) return value;
  return "";
}

/// The first of a kind that is still there goes.
Result<std::optional<Outcome>> remove_made(control::Pass& pass, const kube::Resource& resource,
                                           std::string_view ns, const std::string& uid) {
  const auto listed = control::list_made(pass, resource, ns, kMoveMark, uid);
  // Where no snapshots are served none was made.
  if (!listed && listed.error().fault() == Fault::NotFound) return std::optional<Outcome>();
  if (!listed) return listed.error().copy();
  for (const auto& [name, object] : *listed)
    if (!object.being_deleted())
      return std::optional(Outcome::act(control::remove(resource, object)));
  if (!listed->empty()) return std::optional(Outcome::wait(1s, "OrphansGoing"));
  return std::optional<Outcome>();
}

/// In the order in which a move itself clears away, the Mover last.
Result<std::optional<Outcome>> clear_after(control::Pass& pass, const kube::Cached& mover) {
  const std::string uid = move_uid(mover), ns(mover.ns());
  for (const kube::Cached& pod : pass.find(kube::kPods, kByMove, uid)) {
    if (pod.ns() != ns) continue;
    if (pod.being_deleted()) return std::optional(Outcome::wait(1s, "OrphansGoing"));
    return std::optional(Outcome::act(control::remove(kube::kPods, pod)));
  }
  for (const kube::Cached& volume : pass.find(kube::kVolumes, kByMove, uid))
    if (const auto seen = handover::volume_seen(volume))
      return std::optional(Outcome::act(handover::give_back(*seen, kMoveMark)));
  if (auto step = HF_TRY(remove_made(pass, kube::kClaims, ns, uid))) return step;
  // Of a tenant's own volume the first snapshot may be in another namespace.
  if (auto step = HF_TRY(remove_made(pass, kube::kVolumeSnapshots, "", uid))) return step;
  if (auto step = HF_TRY(remove_made(pass, kube::kVolumeSnapshotContents, "", uid))) return step;
  if (mover.being_deleted()) return std::optional<Outcome>();
  return std::optional(Outcome::act(control::remove(kube::resource_of<Mover>(), mover)));
}

}  // namespace

kube::IndexFunction by_move_name() {
  return [](const kube::Cached& object, std::vector<std::string>& values) {
    const auto value = object.shared_value();
    values.emplace_back(
        model::string_at(*value, {"metadata", "annotations", kMoverElsewhere.annotation}));
  };
}

Result<std::optional<Outcome>> clear_orphans(control::Pass& pass, std::string_view living_uid) {
  for (const kube::Cached& mover :
       pass.find(kube::resource_of<Mover>(), kByMoveName, pass.key().text())) {
    if (move_uid(mover) == living_uid || !wall_stands("what a move leaves behind is cleared away"))
      continue;
    if (auto step = HF_TRY(clear_after(pass, mover))) return step;
  }
  return std::optional<Outcome>();
}

}  // namespace holdfast::protect
