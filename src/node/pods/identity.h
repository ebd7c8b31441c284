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

/// `passwd` and `group` are the texts of the image's files. Invalid is the message of
/// CreateContainerConfigError.
Result<PersonOf> person_of(const Pod& pod, const ContainerDef& container, std::string_view passwd,
                           std::string_view group);
std::optional<int64_t> fs_group_of(const Pod& pod);

}  // namespace holdfast::node
