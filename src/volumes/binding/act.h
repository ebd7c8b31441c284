/// The writes of the binder, one function per step.
#pragma once

#include <holdfast/control/write.h>

#include "storage.h"

namespace holdfast::volumes::binding {

/// Makes the volume name the claim.
control::Write bind_volume(const Volume& volume, const Claim& claim);
control::Write report_volume_bound(const Volume& volume);
/// Makes the claim name the volume, for good.
control::Write bind_claim(const Claim& claim, const Volume& volume);
control::Write report_bound(const Claim& claim, const Volume& volume);
control::Write report_phase(const Claim& claim, std::string_view phase);
/// Gives the class to a claim that came before there was a default one.
control::Write give_class(const Claim& claim, std::string_view class_name);
control::Write ask_provisioner(const Claim& claim, std::string_view provisioner);
/// Takes the claim from a volume that it did not choose in the end.
control::Write unbind_volume(const Volume& volume);
control::Write report_volume_phase(const Volume& volume, std::string_view phase);

}  // namespace holdfast::volumes::binding
