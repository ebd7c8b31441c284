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

/// Nothing tells when what keeps a cut is out of the way.
constexpr std::chrono::seconds kAgain{15};

/// Its snapshot is named in it, or it was cut here, or the volume to be cut lies here.
bool lies_here(const Seen& seen) {
  const Content& content = seen.content;
  const std::string& handle = content.given_handle.empty() ? content.handle : content.given_handle;
  if (const auto parsed = SnapshotHandle::parse(handle)) return parsed->node == seen.node;
  return seen.volume && seen.volume->annotation(kProvisionedBy) == kDriver &&
         seen.volume->reachable_from(seen.node);
}

Outcome not_released(const Error& why) {
  Outcome again = Outcome::wait(kAgain, "SnapshotDeleteError", why.what());
  again.notes = {{.warning = true,
                  .reason = "SnapshotDeleteError",
                  .message = fmt::format("Failed to delete snapshot: {}", why.what()),
                  .action = "Deleting"}};
  return again;
}

Outcome end(const Seen& seen) {
  const Content& content = seen.content;
  if (!content.guarded_by(kContentBound)) return Outcome::done("Deleting");
  const bool free =
      content.ref_uid.empty() || !seen.snapshot || !content.annotation(kBeingDeleted).empty();
  if (!free) return Outcome::done("Deleting", "its snapshot is still there");
  if (content.deletes && !seen.released) return Outcome::ask(kRelease);
  if (content.deletes && !*seen.released) return not_released(seen.released->error());
  return Outcome::act(
      control::drop_finalizer(kube::kVolumeSnapshotContents, content.object, kContentBound));
}

/// The status of a content whose cut is there.
Outcome report_cut(const Seen& seen, const Cut& cut) {
  const SnapshotHandle handle{seen.node, member_of(seen.content)};
  const auto since =
      std::chrono::duration_cast<std::chrono::nanoseconds>(cut.time.time_since_epoch());
  const auto size = cut.sizes.find(handle.member.volume);
  Object status{{"snapshotHandle", handle.text()},
                {"creationTime", int64_t(since.count())},
                {"readyToUse", true},
                {"restoreSize", size == cut.sizes.end() ? 0 : size->second},
                {"error", nullptr}};
  Value merge = Object{{"status", std::move(status)}};
  return Outcome::act(control::patch(kube::kVolumeSnapshotContents, seen.content.object,
                                     std::move(merge), control::Decides::Yes, "status"));
}

Outcome report(const Seen& seen) {
  if (*seen.cut) return report_cut(seen, **seen.cut);
  return fail(kube::kVolumeSnapshotContents, seen.content, "SnapshotCreationFailed",
              fmt::format("Failed to create snapshot: {}", seen.cut->error().what()), seen.now);
}

Outcome cut(const Seen& seen) {
  const Content& content = seen.content;
  if (!seen.snapshot || seen.snapshot->deleting) return Outcome::done("SnapshotGone");
  if (seen.claim && seen.claim->deleting)
    return fail(kube::kVolumeSnapshotContents, content, "SnapshotCreationFailed",
                fmt::format("the source claim {} is being deleted: it cannot be snapshotted any "
                            "more",
                            seen.claim->name),
                seen.now);
  return seen.cut ? report(seen) : Outcome::ask(kCut);
}

}  // namespace

CutMember member_of(const Content& content) {
  const std::string& handle = content.given_handle.empty() ? content.handle : content.given_handle;
  if (const auto parsed = SnapshotHandle::parse(handle)) return parsed->member;
  return {"snapshot-" + content.ref_uid, content.volume_handle};
}

Outcome plan(const Seen& seen) {
  const Content& content = seen.content;
  if (content.driver != kDriver) return Outcome::done("Foreign");
  if (!lies_here(seen)) {
    // A source that is gone leaves a content that never was cut: it lies nowhere, and may go.
    const bool nowhere =
        content.deleting && content.handle.empty() && content.given_handle.empty() && !seen.volume;
    return nowhere ? end(seen) : Outcome::done("Elsewhere");
  }
  if (content.deleting) return end(seen);
  if (std::optional<Write> write = guard(kube::kVolumeSnapshotContents, content, kContentBound))
    return Outcome::act(std::move(*write));
  if (content.ready) return Outcome::done("Ready");
  if (content.given_handle.empty()) return cut(seen);
  return seen.cut ? report(seen) : Outcome::ask(kInspect);
}

}  // namespace holdfast::volumes::contents
