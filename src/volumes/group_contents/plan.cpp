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

/// Nothing tells when what keeps a cut is out of the way.
constexpr std::chrono::seconds kAgain{15};

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

/// The status of a content whose cut is there.
Outcome report_cut(const Seen& seen, const Cut& cut) {
  const std::string id = target_of(seen).cut;
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

Outcome report(const Seen& seen) {
  if (*seen.cut) return report_cut(seen, **seen.cut);
  return fail(seen.content.kinds.contents, seen.content, "GroupSnapshotCreationFailed",
              fmt::format("Failed to create group snapshot: {}", seen.cut->error().what()),
              seen.now);
}

Outcome cut(const Seen& seen) {
  if (!seen.group || seen.group->deleting) return Outcome::done("GroupGone");
  if (const std::string why = obstacle(seen); !why.empty())
    return fail(seen.content.kinds.contents, seen.content, "GroupSnapshotCreationFailed", why,
                seen.now);
  return seen.cut ? report(seen) : Outcome::ask(kCut);
}

Outcome not_released(const Error& why) {
  Outcome again = Outcome::wait(kAgain, "GroupSnapshotDeleteError", why.what());
  again.notes = {{.warning = true,
                  .reason = "GroupSnapshotDeleteError",
                  .message = fmt::format("Failed to delete group snapshot: {}", why.what()),
                  .action = "Deleting"}};
  return again;
}

Outcome end(const Seen& seen) {
  const GroupContent& content = seen.content;
  if (!content.guarded_by(kGroupContentBound)) return Outcome::done("Deleting");
  const bool free =
      content.ref_uid.empty() || !seen.group || !content.annotation(kGroupBeingDeleted).empty();
  if (!free) return Outcome::done("Deleting", "its group is still there");
  if (content.deletes() && !seen.released) return Outcome::ask(kRelease);
  if (content.deletes() && !*seen.released) return not_released(seen.released->error());
  return Outcome::act(
      control::drop_finalizer(content.kinds.contents, content.object, kGroupContentBound));
}

}  // namespace

Target target_of(const Seen& seen) {
  Target out{.cut = cut_here(seen).value_or("")};
  for (const std::string& handle : seen.content.volumes) {
    const auto source = seen.sources.find(handle);
    if (source == seen.sources.end() || !source->second.folder) continue;
    out.ns = source->second.folder->ns;
    out.sizes[source->second.folder->name] = source->second.volume.capacity.value();
  }
  return out;
}

Outcome plan(const Seen& seen) {
  const GroupContent& content = seen.content;
  if (content.driver != kDriver) return Outcome::done("Foreign");
  if (!lies_here(seen)) {
    const bool nowhere = content.deleting && content.handle.empty() &&
                         content.given_handle.empty() && seen.sources.empty();
    return nowhere ? end(seen) : Outcome::done("Elsewhere");
  }
  if (content.deleting) return end(seen);
  if (std::optional<Write> write = guard(content.kinds.contents, content, kGroupContentBound))
    return Outcome::act(std::move(*write));
  if (content.ready) return Outcome::done("Ready");
  if (content.given_handle.empty()) return cut(seen);
  return seen.cut ? report(seen) : Outcome::ask(kInspect);
}

}  // namespace holdfast::volumes::group_contents
