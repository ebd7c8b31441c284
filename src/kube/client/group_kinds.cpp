#include <holdfast/kube/group_kinds.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::kube {
namespace {

using model::array_at;
using model::string_at;
using model::Value;

constexpr std::array<std::string_view, 3> kVersions = {"v1", "v1beta2", "v1beta1"};

Resource in(std::string_view version, Resource resource) {
  resource.version = version;
  return resource;
}

}  // namespace

std::vector<std::string_view> usable_versions(const Value& group) {
  std::vector<std::string_view> out;
  for (const std::string_view version : kVersions)
    for (const Value& each : array_at(group, {"versions"}))
      if (string_at(each, {"version"}) == version) out.push_back(version);
  return out;
}

bool has_all_kinds(const Value& resources) {
  const std::array wanted = {kGroupSnapshots, kGroupSnapshotContents, kGroupSnapshotClasses};
  const model::Array& served = array_at(resources, {"resources"});
  return std::all_of(wanted.begin(), wanted.end(), [&](const Resource& kind) {
    return std::any_of(served.begin(), served.end(),
                       [&](const Value& each) { return string_at(each, {"name"}) == kind.plural; });
  });
}

GroupKinds kinds_in(std::string_view version) {
  // Resources keep a view of their version: it has to be one of ours, which stays.
  const auto found = std::find(kVersions.begin(), kVersions.end(), version);
  HF_CHECK(found != kVersions.end());
  return {in(*found, kGroupSnapshots), in(*found, kGroupSnapshotContents),
          in(*found, kGroupSnapshotClasses)};
}

Result<std::optional<GroupKinds>> served_group_kinds(Client& client) {
  const std::string path = fmt::format("/apis/{}", kGroupSnapshots.group);
  const auto group = client.raw("GET", path, nullptr);
  if (!group && group.error().not_found()) return std::optional<GroupKinds>();
  if (!group) return group.error().error.copy().with_context(fmt::format("read {}", path));
  for (const std::string_view version : usable_versions(*group)) {
    const auto resources = client.raw("GET", fmt::format("{}/{}", path, version), nullptr);
    if (!resources && resources.error().not_found()) continue;
    if (!resources)
      return resources.error().error.copy().with_context(fmt::format("read {}/{}", path, version));
    if (has_all_kinds(*resources)) return std::optional(kinds_in(version));
  }
  return std::optional<GroupKinds>();
}

Result<std::optional<GroupKinds>> ServedGroupKinds::ask() {
  std::optional<GroupKinds> found = HF_TRY(served_group_kinds(client_));
  const Lock lock(mutex_);
  last_ = found;
  return found;
}

Result<std::optional<GroupKinds>> ServedGroupKinds::known() {
  {
    const Lock lock(mutex_);
    if (last_) return last_;
  }
  return ask();
}

}  // namespace holdfast::kube
