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

/// What is cut, and how the application is quiesced for it. Recorded before anything is begun; the
/// run keeps to the record until its end.
struct CutInputs {
  std::string ns{}, account{}, group_class{};
  Quiescing quiescing{};
  std::vector<PodRecord> pods{};
  std::vector<ClaimRecord> claims{};
  Cut cut = Cut::Each;
  bool atomic = false, allow_unguarded = false;
  template <class V>
  void fields(V& v) {
    v.required("namespace", ns, "namespace of the members");
    v.optional("serviceAccountName", account, "ServiceAccount whose rights the commands have");
    v.required("quiescing", quiescing, "profile and actions that quiesce the application");
    v.optional("pods", pods, "pods in which commands run");
    v.required("claims", claims, "claims to cut");
    v.required("cut", cut, "one VolumeGroupSnapshot of all claims, or one VolumeSnapshot of each");
    v.optional("volumeGroupSnapshotClassName", group_class, "VolumeGroupSnapshotClass of the cut");
    v.required("atomic", atomic, "true: all volumes are cut at one instant");
    v.required("allowUnguarded", allow_unguarded, "true: quiesce also where no guard can run");
  }
  /// Claims that are cut; those with logs, which are cut once more, stand after them.
  size_t volumes() const {
    return size_t(
        std::count_if(claims.begin(), claims.end(), [](auto& each) { return !each.log; }));
  }
};

}  // namespace holdfast::protect
