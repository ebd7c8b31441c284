#include <holdfast/kube/group_members.h>

namespace holdfast::kube {

using model::string_at;
using model::Value;

std::map<std::string, std::string> volumes_told(const Value& group_content) {
  std::map<std::string, std::string> out;
  // v1 and v1beta2 have the first list, v1beta1 the second.
  for (const std::string_view list : {"volumeSnapshotInfoList", "volumeSnapshotHandlePairList"})
    for (const Value& each : model::array_at(group_content, {"status", list}))
      out[std::string(string_at(each, {"snapshotHandle"}))] = string_at(each, {"volumeHandle"});
  return out;
}

std::string content_of(const Value& snapshot) {
  std::string out(string_at(snapshot, {"status", "boundVolumeSnapshotContentName"}));
  // Made for a content that was there first.
  if (out.empty()) out = string_at(snapshot, {"spec", "source", "volumeSnapshotContentName"});
  return out;
}

std::string volume_of(const Value& content, const std::map<std::string, std::string>& told) {
  std::string volume(string_at(content, {"spec", "source", "volumeHandle"}));
  if (!volume.empty()) return volume;
  std::string handle(string_at(content, {"spec", "source", "snapshotHandle"}));
  if (handle.empty()) handle = string_at(content, {"status", "snapshotHandle"});
  const auto found = told.find(handle);
  return found == told.end() ? "" : found->second;
}

bool is_bound_to(const Value& content, const Value& snapshot) {
  return string_at(content, {"spec", "volumeSnapshotRef", "uid"}) ==
         string_at(snapshot, {"metadata", "uid"});
}

}  // namespace holdfast::kube
