/// Identity of a container: its security context, completed from the image's own user database.
#pragma once

#include "pods/pod.h"
#include "shim/records.h"

#include <optional>

namespace holdfast::node {

struct PersonOf {
  int64_t uid = 0, gid = 0;
  std::vector<int64_t> groups{};
  std::string home = "/";
  std::string capabilities{};  ///< a mask in hex
  bool privileged = false;
  bool unconfined = false;  ///< no filter of system calls
};

/// The ids that a pod may use: in a user namespace 65,536, else all.
enum class Ids { OfNamespace, OfMachine };
/// What a pod asks for itself: the machine's own users.
bool wants_host_users(const Pod& pod);

/// `passwd` and `group` are the texts of the image's files. Invalid is the message of
/// CreateContainerConfigError.
Result<PersonOf> person_of(const Pod& pod, const ContainerDef& container, std::string_view passwd,
                           std::string_view group, Ids ids);
/// Invalid if the group that volumes are given to is beyond them.
Result<void> check_fs_group(const Pod& pod, Ids ids);
std::optional<int64_t> fs_group_of(const Pod& pod);

}  // namespace holdfast::node
