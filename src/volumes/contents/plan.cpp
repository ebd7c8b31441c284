#include "contents/plan.h"

#include <holdfast/control/finalizers.h>

#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes::contents {

using control::Outcome;
using control::Write;
using model::Object;
using model::Value;

namespace {

Step leave(Outcome outcome) {
  return {.what = Step::Do::Leave, .member = {}, .outcome = std::move(outcome)};
}

/// Its snapshot is named in it, or it was cut here, or the volume to be cut lies here.
bool lies_here(const Seen& seen) {
  const Content& content = seen.content;
  const std::string& handle = content.given_handle.empty() ? content.handle : content.given_handle;
  if (const auto parsed = SnapshotHandle::parse(handle)) return parsed->node == seen.node;
  return seen.volume && seen.volume->annotation(kProvisionedBy) == kDriver &&
         seen.volume->reachable_from(seen.node);
}

/// What the content stands for here, whether it is cut yet or not.
CutMember member_of(const Content& content) {
  const std::string& handle = content.given_handle.empty() ? content.handle : content.given_handle;
  if (const auto parsed = SnapshotHandle::parse(handle)) return parsed->member;
  return {"snapshot-" + content.ref_uid, content.volume_handle};
}

Step end(const Seen& seen) {
  const Content& content = seen.content;
  if (!content.guarded_by(kContentBound)) return leave(Outcome::done("Deleting"));
  const bool released =
      content.ref_uid.empty() || !seen.snapshot || !content.annotation(kBeingDeleted).empty();
  if (!released) return leave(Outcome::done("Deleting", "its snapshot is still there"));
  Outcome last = Outcome::act(
      control::drop_finalizer(kube::kVolumeSnapshotContents, content.object, kContentBound));
  if (!content.deletes) return leave(std::move(last));
  return {.what = Step::Do::Release, .member = member_of(content), .outcome = std::move(last)};
}

Step cut(const Seen& seen) {
  const Content& content = seen.content;
  if (!seen.snapshot || seen.snapshot->deleting) return leave(Outcome::done("SnapshotGone"));
  if (seen.claim && seen.claim->deleting)
    return leave(fail(kube::kVolumeSnapshotContents, content, "SnapshotCreationFailed",
                      fmt::format("the source claim {} is being deleted: it cannot be snapshotted "
                                  "any more",
                                  seen.claim->name),
                      seen.now));
  return {.what = Step::Do::Cut, .member = member_of(content), .outcome = {}};
}

}  // namespace

Step plan(const Seen& seen) {
  const Content& content = seen.content;
  if (content.driver != kDriver) return leave(Outcome::done("Foreign"));
  if (!lies_here(seen)) {
    // A source that is gone leaves a content that never was cut: it lies nowhere, and may go.
    const bool nowhere =
        content.deleting && content.handle.empty() && content.given_handle.empty() && !seen.volume;
    return nowhere ? end(seen) : leave(Outcome::done("Elsewhere"));
  }
  if (content.deleting) return end(seen);
  if (std::optional<Write> write = guard(kube::kVolumeSnapshotContents, content, kContentBound))
    return leave(Outcome::act(std::move(*write)));
  if (content.ready) return leave(Outcome::done("Ready"));
  if (content.given_handle.empty()) return cut(seen);
  return {.what = Step::Do::Inspect, .member = member_of(content), .outcome = {}};
}

Outcome report_cut(const Content& content, const SnapshotHandle& handle, const Cut& cut) {
  const auto since =
      std::chrono::duration_cast<std::chrono::nanoseconds>(cut.time.time_since_epoch());
  const auto size = cut.sizes.find(handle.member.volume);
  Object status{{"snapshotHandle", handle.text()},
                {"creationTime", int64_t(since.count())},
                {"readyToUse", true},
                {"restoreSize", size == cut.sizes.end() ? 0 : size->second},
                {"error", nullptr}};
  Value merge = Object{{"status", std::move(status)}};
  return Outcome::act(control::patch(kube::kVolumeSnapshotContents, content.object,
                                     std::move(merge), control::Decides::Yes, "status"));
}

Outcome report_trouble(const Content& content, const Error& why, WallTime now) {
  return fail(kube::kVolumeSnapshotContents, content, "SnapshotCreationFailed",
              fmt::format("Failed to create snapshot: {}", why.what()), now);
}

}  // namespace holdfast::volumes::contents
