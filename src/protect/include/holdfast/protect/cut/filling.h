/// Filling of the volumes of a restore, before any is handed over: where claims are to come back,
/// what keeps them from it, and the steps until each new volume holds its data and is proven. Pure.
#pragma once

#include <holdfast/protect/cut/handover.h>
#include <holdfast/protect/use_move.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::protect {

/// Options of a restore of claims.
struct RestoreOptions {
  enum class Conflict { Fail, Rename, Replace };

  std::string ns{}, suffix{};
  Conflict conflict = Conflict::Fail;
  std::map<std::string, std::string> storage_classes{};
  template <class V>
  void fields(V& v) {
    v.optional("namespace", ns, "namespace of the restored claims; empty: the original one");
    v.defaulted("conflict", conflict, Conflict::Fail,
                "policy for claims that exist: Fail; Rename: restore under the name with the "
                "suffix; Replace: restore in its place and keep the old volume");
    v.optional("suffix", suffix, "suffix for Rename; empty: -restored");
    v.optional("storageClasses", storage_classes,
               "StorageClasses to use here, by the name in the backup");
  }
};
constexpr auto words(RestoreOptions::Conflict) {
  using Conflict = RestoreOptions::Conflict;
  return std::array{std::pair{Conflict::Fail, "Fail"}, std::pair{Conflict::Rename, "Rename"},
                    std::pair{Conflict::Replace, "Replace"}};
}

namespace handover {

/// Where the claim comes back, and under which name; without options in its own place.
void name_target(const ClaimRecord& claim, const std::optional<RestoreOptions>& options,
                 Seen& seen);

/// Of those that come back, why they cannot all take their places: ClaimsExist, or ClaimInUse if
/// they may replace what is there.
std::optional<control::Refusal> conflict(
    const std::vector<std::pair<const Seen*, const ClaimRecord*>>& targets, bool replaces);

/// How far one volume is. Neither when it is done.
struct Filling {
  std::optional<control::Outcome> step{};  ///< the next one
  control::Refusal trouble{};              ///< why it never will be
};
/// By a pod that mounts what was made of a snapshot.
Filling prove(const Seen& seen, const Owned& owned, const ClaimRecord& claim,
              const std::string& image, const std::vector<std::string>& command);
/// By a move out of the repository.
Filling await_download(const UsedMove& download, const std::string& claim);

/// The next step of `count` volumes that are filled side by side, as far as none of them waits for
/// itself alone: some of them at a time, since each costs a pod, and a copy its disk. `step` says
/// nothing of one that is filled and proven; nothing when all are.
std::optional<control::Outcome> side_by_side(
    size_t count, const std::function<std::optional<control::Outcome>(size_t)>& step);

}  // namespace handover
}  // namespace holdfast::protect
