/// VolumeGroupSnapshots and their contents, as far as decisions about them need.
#pragma once

#include <holdfast/kube/group_kinds.h>

#include "snapshots/objects.h"

#include <string>
#include <vector>

namespace holdfast::volumes {

struct Group : Told {
  kube::GroupKinds kinds{};  ///< of the version that it was read in
  std::string ns{};
  std::string given_content{};  ///< else a selector
  std::string class_name{};
  std::string bound{};    ///< status.boundVolumeGroupSnapshotContentName
  std::string created{};  ///< status.creationTime
  std::string text() const { return ns + "/" + name; }
  std::string content_name() const {
    return given_content.empty() ? "groupsnapcontent-" + uid : given_content;
  }
};

/// One entry of a content's status.volumeSnapshotInfoList, in v1beta1 volumeSnapshotHandlePairList.
struct MemberInfo {
  std::string volume{}, handle{};
};

struct GroupContent : Told {
  kube::GroupKinds kinds{};  ///< of the version that it was read in
  std::string driver{}, deletion_policy{};
  std::vector<std::string> volumes{};           ///< spec.source.volumeHandles
  std::string given_handle{};                   ///< spec.source.groupSnapshotHandles: of the group,
  std::vector<std::string> given_members{};     ///< and of its members
  std::string handle{}, created{};              ///< status
  std::vector<MemberInfo> members{};            ///< status
  std::string ref_ns{}, ref_name{}, ref_uid{};  ///< spec.volumeGroupSnapshotRef
  bool deletes() const { return deletion_policy == "Delete"; }
};

Group read_group(const kube::Cached& object, const kube::GroupKinds& kinds = {});
GroupContent read_group_content(const kube::Cached& object, const kube::GroupKinds& kinds = {});

/// Fixed by the group's uid and the member's handle: a group of the same name never adopts them.
std::string member_snapshot_name(const Group& group, const MemberInfo& member);
std::string member_content_name(const Group& group, const MemberInfo& member);

}  // namespace holdfast::volumes
