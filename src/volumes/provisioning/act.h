/// The writes of the provisioner, one function per step.
#pragma once

#include <holdfast/control/write.h>

#include "provisioning/plan.h"

namespace holdfast::volumes::provisioning {

/// ProvisioningFailed, as a warning.
control::Note failed_note(std::string_view class_name, std::string_view why);
control::Write create_volume(const Seen& seen);
control::Write grow_volume(const Volume& volume, const Claim& claim);
control::Write report_grown(const Claim& claim, const Volume& volume);

}  // namespace holdfast::volumes::provisioning
