/// Names and labels of the objects that a run makes.
#pragma once

#include <holdfast/control/made_for.h>
#include <holdfast/protect/catalogue.h>

#include "action/seen.h"

#include <string>

namespace holdfast::drivers::volumegroup {

inline constexpr std::string_view kFinalizer = "holdfast.dev/volume-group-action";
/// On what we make: NAMESPACE/NAME of the action, to find it by.
inline constexpr std::string_view kActionOf = "holdfast.dev/action-of";
inline constexpr control::Mark kActionMark{kActionLabel, kActionOf};
/// Of what the repository holds.
inline constexpr protect::CatalogueTags kTags{"vg", "vga"};

/// volume-group-action-<16 hex>, which only the three decide: a step done twice makes one object.
std::string made_name(std::string_view action_uid, std::string_view claim_uid,
                      std::string_view step);
/// Name of one cut of a claim: a claim that also holds a server's log is cut twice.
std::string identity(const ClaimRecord& claim);
/// The label by which a group snapshot finds exactly the claims of this run.
std::string cut_label(std::string_view action_uid);
/// Of the last revert or restore: of the claim that is filled first, and the mark on what is made
/// of it.
std::string staged_name(const VolumeGroupAction::Status& status, std::string_view action_uid,
                        const ClaimRecord& claim);

}  // namespace holdfast::drivers::volumegroup
