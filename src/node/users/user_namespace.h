/// User namespaces of pods: root in one is an unknown user outside it, and has its rights over
/// nothing but what is the pod's. On disk stand the ids that the pod sees: mounts translate.
#pragma once

#include "shim/descriptors.h"

#include <cstdint>

namespace holdfast::node {

inline constexpr uint32_t kIdsOfPod = 65536;

/// One whose ids 0 … 65535 are those from `first` on outside.
Result<Fd> make_user_namespace(uint32_t first);

enum class Translated { All, TopOnly };
/// Files of a mount that is in no tree yet show their ids inside the namespace as they are on disk.
Result<void> translate_ids(const Fd& mount, const Fd& users, Translated what);

/// What this process makes from now on belongs to that id; its rights stay what they were.
Result<void> make_files_as(uint32_t id);
/// This process is root of the namespace, and of nothing else.
Result<void> join_users(const Fd& users);

}  // namespace holdfast::node
