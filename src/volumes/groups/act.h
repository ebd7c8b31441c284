/// The writes of the groups' controller, one function per step.
#pragma once

#include <holdfast/control/write.h>

#include "groups/objects.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::volumes::groups {

control::Write set_class(const Group& group, std::string_view name);
control::Write create_content(const Group& group, const std::vector<std::string>& volumes,
                              const SnapshotClass& by);
control::Write bind_content(const GroupContent& content, const Group& group);
control::Write create_member_content(const Group& group, const GroupContent& content,
                                     const MemberInfo& member);
control::Write create_member(const Group& group, const MemberInfo& member);
control::Write name_group(const Snapshot& member, const Group& group);
/// What the content tells, in the group's status; nothing if it stands there already.
std::optional<control::Write> report(const Group& group, const GroupContent& content, bool ready,
                                     WallTime now);
control::Write announce_end(const GroupContent& content);

}  // namespace holdfast::volumes::groups
