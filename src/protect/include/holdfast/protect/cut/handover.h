/// Hand-over of a volume from the claim that it was filled in to the claim that it is for, such
/// that no copy is lost on the way, whatever dies.
///
///     staged claim ── volume, kept: Retain, and marked with the name of the staged claim
///     staged claim goes; what stands in the target's place goes too, and its volume stays
///     volume reserved for the target (claimRef) ── Available: the binder knows of it
///     target claim, bound ── the volume's own policy
///
/// The target claim names no volume: where both name each other, the two workers of the real binder
/// collide, and the claim waits 15 s for its next look. One that it sees before it knows of the
/// reservation may be given another volume.
///
/// Pure but for `Looking`, and `filled_from`, `waits_for_binder` and `pods_go_first`, which are
/// sabotaged. A write decides by what was seen: if that has changed, the next pass looks again.
#pragma once

#include <holdfast/control/made_for.h>
#include <holdfast/control/outcome.h>
#include <holdfast/control/refusal.h>
#include <holdfast/protect/cut/records.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect::handover {

/// On claims and volumes that were handed over: the name of the claim they were staged in.
inline constexpr std::string_view kRestoredBy = "holdfast.dev/restored-by";
/// On volumes that are being handed over: their own reclaim policy.
inline constexpr std::string_view kFirstPolicy = "holdfast.dev/reclaim-policy";

struct Claim {
  kube::Cached object{};
  std::string uid{}, volume{}, storage_class{}, size{};
  std::vector<std::string> access_modes{};
  bool bound = false, deleting = false;
  std::string restored_by{};  ///< which hand-over made it; "" = none of ours
};

struct Volume {
  kube::Cached object{};
  std::string policy{}, claim_ns{}, claim_name{}, claim_uid{}, restored_by{}, first_policy{};
  std::string phase{};  ///< status.phase
};

std::optional<Claim> claim_seen(kube::Cached object);
std::optional<Volume> volume_seen(kube::Cached object);

/// One hand-over, as it stands.
struct Seen {
  std::string staged_ns{}, staged_name{}, target_ns{}, target_name{};
  std::optional<Claim> target{}, staged{};
  std::vector<std::string> users{};      ///< pods that have the target mounted, or are to
  std::optional<Volume> fresh{}, old{};  ///< the new volume, and that of the target now
  kube::Cached prover{};                 ///< the pod that mounts the staged claim
  std::string prover_phase{}, prover_message{};

  /// The target is the one that this hand-over made.
  bool is_done() const { return target && target->restored_by == staged_name; }
  /// The target is ours and was given another volume than the one that it was made for.
  bool is_misbound() const {
    return is_done() && is_kept() && !target->volume.empty() &&
           target->volume != fresh->object.name();
  }
  /// The new volume stays, whatever becomes of its claim.
  bool is_kept() const { return fresh && !fresh->restored_by.empty(); }
  /// From here on there is only the way ahead.
  bool is_begun() const { return is_done() || (is_kept() && !staged); }
};

/// Whose it is: the mark on what it makes.
struct Owned {
  const control::Mark& mark;
  control::Owner owner;
};

/// Reads hand-overs of one owner in one pass. What was made for it is listed from the server
/// itself, each kind once, so that many claims cost no more requests than one: a cache that is
/// behind would have it filled a second time, or left behind.
class Looking {
 public:
  Looking(control::Pass& pass, const Owned& owned) : pass_(pass), owned_(owned) {}

  /// Reads what the names in `seen` say. The server is asked for the targets that the next step is
  /// about: for all if `certain`, else for the first that is to be filled and the first that is to
  /// be switched; of these also the users and the old volume are seen. `has_target`: false for what
  /// is staged and never put in a claim's place.
  Result<void> look(bool has_target, bool certain, Seen& seen);

 private:
  using Objects = std::map<std::string, kube::Cached>;
  Result<const Objects*> made(const kube::Resource& resource, const std::string& ns);
  Result<void> look_at_prover(Seen& seen);
  Result<void> look_at_volume(Seen& seen);
  Result<void> look_at_target(bool certain, Seen& seen);
  Result<void> look_at_users(Seen& seen);

  control::Pass& pass_;
  const Owned owned_;
  std::map<std::pair<std::string, std::string>, Objects> made_{};
  /// Pods that run, with the claims that they mount, by namespace.
  std::map<std::string, std::vector<std::pair<std::string, std::vector<std::string>>>> users_{};
  /// The first one that is to be filled, or switched, has been looked at.
  bool filling_ = false, switching_ = false;
};

/// The member whose cut or backup a member's new volume is filled from: itself.
size_t filled_from(size_t member, size_t members);
/// True: claims are made once the binder knows what is reserved; pods go before their claims.
bool waits_for_binder();
bool pods_go_first();
/// The claim that is filled first: empty, or of a VolumeSnapshot.
control::Write make_staged(const Seen& seen, const Owned& owned, const ClaimRecord& claim,
                           const std::map<std::string, std::string>& classes,
                           std::string_view snapshot);
/// A pod that only has to mount the staged claim: a driver that waits for its first consumer makes
/// the volume then, and one that cannot be mounted is found out before anything is replaced by it.
control::Write make_prover(const Seen& seen, const Owned& owned, const ClaimRecord& claim,
                           const std::string& image, const std::vector<std::string>& command);
/// Before the staged claim goes: the volume stays, and is marked as the owner's; with `staged_name`
/// also as what it was made for.
control::Write keep(const Volume& volume, const Owned& owned, std::string_view staged_name = "");
/// The owner that the mark's annotation names, when one of its volumes has become Available.
control::Mapper owner_of_available(const control::Mark& mark);
/// For the claim of that name; of that uid, unless it is still to be made.
control::Write reserve(const Volume& volume, std::string_view ns, std::string_view name,
                       std::string_view uid = "");
/// The volume gets its own reclaim policy again, and loses the mark.
control::Write give_back(const Volume& volume, const control::Mark& mark);
/// The prover goes: a pod that has ended still keeps the claims that it mounts. Nothing when it
/// has gone.
std::optional<control::Outcome> remove_prover(const Seen& seen);
/// The staged claim goes.
control::Outcome remove_staged(const Seen& seen);
/// The volume goes with its claim, whatever its class says.
control::Write let_go_with_claim(const Volume& volume);

/// Why the target's place cannot be taken: ClaimsExist, or ClaimInUse if it may be.
std::optional<control::Refusal> occupied(const Seen& seen, bool replaces);
/// The next step that makes the target's claim anew on the new volume. The volume must be kept and
/// the place free. Nothing when the claim is there under its name, bound to its new volume.
std::optional<control::Outcome> put_in_place(const Seen& seen, const Owned& owned,
                                             const ClaimRecord& claim,
                                             const std::map<std::string, std::string>& classes);
/// What is staged goes, and its volume with it if it would have gone before; nothing when it has.
std::optional<control::Outcome> clear(const Seen& seen, const control::Mark& mark);

}  // namespace holdfast::protect::handover
