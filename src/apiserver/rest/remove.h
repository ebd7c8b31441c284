/// Deleting: preconditions, grace, finalizers and what happens to dependents.
#pragma once

#include "rest/api.h"
#include "rest/write.h"

#include <optional>

namespace holdfast::apiserver {

struct DeleteOptions {
  std::optional<int64_t> grace_period_seconds;
  std::optional<std::string> uid, resource_version;  ///< preconditions
  std::optional<bool> orphan_dependents;
  std::string propagation_policy;  ///< "", Orphan, Background, Foreground
  bool dry_run = false;
};

/// From a DeleteOptions body (null Value if there was none) and the query; 422 for contradictions.
Answer<DeleteOptions> read_delete_options(const Value& body, const net::Query& query);

struct Removed {
  StoredPtr object;   ///< last state, or the state that now waits for its finalizers
  bool gone = false;  ///< false: it waits
};
Answer<Removed> remove_object(Api& api, const WriteRequest& request, const DeleteOptions& options);

}  // namespace holdfast::apiserver
