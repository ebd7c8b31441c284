#include "group_contents/plan.h"

#include <holdfast/control/finalizers.h>
#include <holdfast/model/time.h>

#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes::group_contents {

using control::Outcome;
using control::Write;
using model::Array;
using model::Object;
using model::Value;

namespace {

Step leave(Outcome outcome) {
  Step step;
  step.outcome = std::move(outcome);
  return step;
}

/// "NODE/CUT", the handle of a group.
std::string group_handle(std::string_view node, std::string_view cut) {
  return fmt::format("{}/{}", node, cut);
}

/// The cut that the content stands for; of another node: nothing.
std::optional<std::string> cut_here(const Seen& seen) {
  const GroupContent& content = seen.content;
  const std::string& handle = content.given_handle.empty() ? content.handle : content.given_handle;
  if (handle.empty()) return "groupsnapshot-" + content.ref_uid;
  const std::string prefix = seen.node + "/";
  if (!handle.starts_with(prefix)) return std::nullopt;
  return handle.substr(prefix.size());
}

bool lies_here(const Seen& seen) {
  if (!seen.content.given_handle.empty() || !seen.content.handle.empty())
    return cut_here(seen).has_value();
  // Of volumes on several nodes the first one's refuses for all.
  const auto first = seen.sources.begin();
  return first != seen.sources.end() && first->second.volume.reachable_from(seen.node);
}

/// Why there can be no cut of them all; empty if there can.
std::string obstacle(const Seen& seen) {
  if (!seen.cuts_groups)
    return fmt::format(
        "provider {} of node {} cannot cut several volumes at one instant, so a "
        "VolumeGroupSnapshot is refused; take one VolumeSnapshot per claim, or keep "
        "the volumes on btrfs (--pool-size)",
        seen.provider, seen.node);
  std::string ns;
  for (const std::string& handle : seen.content.volumes) {
    const auto source = seen.sources.find(handle);
    if (source == seen.sources.end()) return fmt::format("volume {} is gone", handle);
    if (!source->second.folder)
      return fmt::format("volume {} does not lie on node {}", handle, seen.node);
    if (source->second.claim_going)
      return fmt::format(
          "the claim of volume {} is being deleted: it cannot be snapshotted any "
          "more",
          handle);
    if (ns.empty()) ns = source->second.folder->ns;
    if (ns != source->second.folder->ns)
      return fmt::format(
          "volume {} was made for namespace {} and others for {}: they share no "
          "subvolume and cannot be cut at one instant",
          handle, source->second.folder->ns, ns);
  }
  return "";
}

Step cut(const Seen& seen) {
  if (!seen.group || seen.group->deleting) return leave(Outcome::done("GroupGone"));
  if (const std::string why = obstacle(seen); !why.empty())
    return leave(fail(seen.content.kinds.contents, seen.content, "GroupSnapshotCreationFailed", why,
                      seen.now));
  Step step{.what = Step::Do::Cut, .cut = *cut_here(seen)};
  for (const std::string& handle : seen.content.volumes) {
    const Source& source = seen.sources.at(handle);
    step.ns = source.folder->ns;
    step.sizes[source.folder->name] = source.volume.capacity.value();
  }
  return step;
}

Step end(const Seen& seen) {
  const GroupContent& content = seen.content;
  if (!content.guarded_by(kGroupContentBound)) return leave(Outcome::done("Deleting"));
  const bool released =
      content.ref_uid.empty() || !seen.group || !content.annotation(kGroupBeingDeleted).empty();
  if (!released) return leave(Outcome::done("Deleting", "its group is still there"));
  Outcome last = Outcome::act(
      control::drop_finalizer(content.kinds.contents, content.object, kGroupContentBound));
  if (!content.deletes()) return leave(std::move(last));
  Step step{.what = Step::Do::Release, .cut = *cut_here(seen)};
  step.outcome = std::move(last);
  return step;
}

}  // namespace

Step plan(const Seen& seen) {
  const GroupContent& content = seen.content;
  if (content.driver != kDriver) return leave(Outcome::done("Foreign"));
  if (!lies_here(seen)) {
    const bool nowhere = content.deleting && content.handle.empty() &&
                         content.given_handle.empty() && seen.sources.empty();
    return nowhere ? end(seen) : leave(Outcome::done("Elsewhere"));
  }
  if (content.deleting) return end(seen);
  if (std::optional<Write> write = guard(content.kinds.contents, content, kGroupContentBound))
    return leave(Outcome::act(std::move(*write)));
  if (content.ready) return leave(Outcome::done("Ready"));
  if (content.given_handle.empty()) return cut(seen);
  return {.what = Step::Do::Inspect, .cut = *cut_here(seen)};
}

Outcome report_cut(const Seen& seen, const std::string& id, const Cut& cut) {
  const auto since =
      std::chrono::duration_cast<std::chrono::nanoseconds>(cut.time.time_since_epoch());
  // Each version has its own list of them; of the other one the server keeps nothing.
  Array members, pairs;
  for (const auto& [volume, size] : cut.sizes) {
    const std::string handle = SnapshotHandle{seen.node, {id, volume}}.text();
    pairs.push_back(Object{{"volumeHandle", volume}, {"snapshotHandle", handle}});
    members.push_back(Object{{"volumeHandle", volume},
                             {"snapshotHandle", handle},
                             {"creationTime", int64_t(since.count())},
                             {"readyToUse", true},
                             {"restoreSize", size}});
  }
  Object status{{"volumeGroupSnapshotHandle", group_handle(seen.node, id)},
                {"creationTime", model::to_rfc3339(cut.time)},
                {"readyToUse", true},
                {"volumeSnapshotInfoList", std::move(members)},
                {"volumeSnapshotHandlePairList", std::move(pairs)},
                {"error", nullptr}};
  Value merge = Object{{"status", std::move(status)}};
  return Outcome::act(control::patch(seen.content.kinds.contents, seen.content.object,
                                     std::move(merge), control::Decides::Yes, "status"));
}

Outcome report_trouble(const GroupContent& content, const Error& why, WallTime now) {
  return fail(content.kinds.contents, content, "GroupSnapshotCreationFailed",
              fmt::format("Failed to create group snapshot: {}", why.what()), now);
}

}  // namespace holdfast::volumes::group_contents
