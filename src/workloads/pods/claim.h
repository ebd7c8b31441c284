/// Ownership of objects by a controller: by the controlling owner, and by the selector for those
/// that have none.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/model/selector.h>

#include <string>

namespace holdfast::workloads {

/// Who claims, as far as claiming goes.
struct Claimant {
  std::string ns{}, uid{};
  bool deleting = false;  ///< claims nothing new and lets nothing go
  model::LabelSelector selector{};
};

enum class Claim {
  Ours,
  Adopt,    ///< an orphan that the selector matches
  Release,  ///< ours, but the selector no longer matches
  Foreign,
};
Claim claim_of(const Claimant& claimant, const model::Meta& child);

/// What a plan asks for before it adopts: to be told that it may.
inline constexpr std::string_view kMayAdopt = "may-adopt";
/// Asks the server, not the cache, whether the owner still lives: an orphan adopted by somebody
/// who is being deleted would be collected with them. Conflict: look again later.
Result<void> may_adopt(control::Pass& pass, const kube::Resource& resource,
                       const kube::Cached& owner);

/// The real manager's patches: only the one owner reference, so that two claimants of different
/// references never overwrite each other. The server refuses a second controlling owner.
control::Write adopt(const kube::Resource& owner_resource, const kube::Cached& owner,
                     const kube::Resource& resource, const kube::Cached& child);
control::Write release(std::string_view owner_uid, const kube::Resource& resource,
                       const kube::Cached& child);

/// Index over objects without a controlling owner, by their namespace.
inline constexpr std::string_view kOrphans = "orphans";
void index_orphans(const kube::Cached& object, std::vector<std::string>& values);

/// Keys of the `owners` that a change of a child concerns: the controlling owner before and after,
/// and, when an orphan appears or changes its labels or its owner, everybody whose
/// `spec.selector` matches it.
control::Lookup owner_or_selecting(const kube::Resource& owners);

}  // namespace holdfast::workloads
