/// The inputs of a cut of several volumes.
#pragma once

#include <holdfast/protect/cut/quiescing.h>
#include <holdfast/protect/cut/records.h>

#include <algorithm>

namespace holdfast::protect {

enum class Cut { Group, Each };
constexpr auto words(Cut) {
  return std::array{std::pair{Cut::Group, "VolumeGroupSnapshot"},
                    std::pair{Cut::Each, "VolumeSnapshot"}};
}

/// What is cut, and how the application holds still for it: recorded before anything is begun, and
/// gone by to the end.
struct CutInputs {
  std::string ns{}, account{}, group_class{};
  Quiescing quiescing{};
  std::vector<PodRecord> pods{};
  std::vector<ClaimRecord> claims{};
  Cut cut = Cut::Each;
  bool atomic = false, allow_unguarded = false;
  template <class V>
  void fields(V& v) {
    v.required("namespace", ns, "of the members");
    v.optional("serviceAccountName", account, "whose rights commands have");
    v.required("quiescing", quiescing, "how the application holds still");
    v.optional("pods", pods, "in which commands run");
    v.required("claims", claims, "that are cut");
    v.required("cut", cut, "all at once, or each for itself");
    v.optional("volumeGroupSnapshotClassName", group_class, "of the cut");
    v.required("atomic", atomic, "the cut is of one instant");
    v.required("allowUnguarded", allow_unguarded, "also without a guard");
  }
  /// Claims that are cut; those with logs, which are cut once more, stand after them.
  size_t volumes() const {
    return size_t(
        std::count_if(claims.begin(), claims.end(), [](auto& each) { return !each.log; }));
  }
};

}  // namespace holdfast::protect
