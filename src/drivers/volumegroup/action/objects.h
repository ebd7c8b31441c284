/// Objects and patches of a run: snapshots, data moves, claims, and the changes of what is there.
#pragma once

#include <holdfast/control/write.h>

#include "action/names.h"

namespace holdfast::drivers::volumegroup {

/// Metadata of what we make: whose it is, in a label and in an annotation.
model::Object marked(const ActionSeen& seen, const std::string& ns, const std::string& name);
/// NAMESPACE/NAME of the group.
std::string subject_of(const ActionSeen& seen);

/// The VolumeSnapshot that cuts one claim.
model::Value cut_of(const ActionSeen& seen, const ClaimRecord& claim);
/// The objects created in the window: one VolumeGroupSnapshot, or a VolumeSnapshot for each claim.
std::vector<protect::CutObject> cut_objects(const ActionSeen& seen);
/// Name of the snapshot of one claim, of a cut of each; of the cut of all without one.
std::string cut_name(const ActionSeen& seen, const ClaimRecord* claim);
/// The same once it is cut; "" until then.
std::string snapshot_name(const VolumeGroupAction::Status& status, size_t member);

/// Of the action itself. The label goes only if it still is what was seen: another wish may have
/// been made meanwhile.
control::Write remove_trigger(const ActionSeen& seen);
control::Write hold(const ActionSeen& seen);
control::Write let_go(const ActionSeen& seen);

control::Write label_claim(const ActionSeen& seen, const MemberSeen& member, bool on);
/// The data moves of a run as it wishes them; what is there is believed only if it was asked for
/// the same.
protect::DataMove upload_of(const ActionSeen& seen, size_t member);
control::Write create_upload(const ActionSeen& seen, size_t member);
/// The list of the whole backup, which is written last: without it the backup is not listed. Before
/// that all other snapshots are looked for.
protect::DataMove catalogue_of(const ActionSeen& seen);
control::Write create_catalogue(const ActionSeen& seen);
/// Finds catalogues in a repository.
control::Write create_search(const ActionSeen& seen, const SearchSeen& search);
/// Takes out of the repository what the run has put there, in whatever attempt, also if it failed.
control::Write create_forget(const ActionSeen& seen);
std::string forget_name(const ActionSeen& seen);
std::string upload_name(const ActionSeen& seen, size_t member);
std::string catalogue_name(const ActionSeen& seen);

/// Which backup spec.source means.
protect::CatalogueWish catalogue_wish(const ActionSeen& seen);

/// Of a hand-over: whose it is, and the classes that are to be taken for others.
protect::handover::Owned owned(const ActionSeen& seen);
std::map<std::string, std::string> classes_of(const ActionSeen& seen);
/// Of a revert or restore, in the order in which they come.
control::Write create_staged(const ActionSeen& seen, size_t member);
control::Write create_download(const ActionSeen& seen, size_t member);

}  // namespace holdfast::drivers::volumegroup
