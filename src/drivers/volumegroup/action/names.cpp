#include "action/names.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {

std::string made_name(std::string_view action_uid, std::string_view claim_uid,
                      std::string_view step) {
  return control::made_name("volume-group-action", action_uid, claim_uid, step);
}

std::string identity(const ClaimRecord& claim) {
  return claim.log ? fmt::format("{}.log.{}", claim.uid, claim.log->pod) : claim.uid;
}

std::string cut_label(std::string_view action_uid) {
  return fmt::format("cut.holdfast.dev/{:016x}", control::name_hash(action_uid));
}

std::string staged_name(const VolumeGroupAction::Status& status, std::string_view action_uid,
                        const ClaimRecord& claim) {
  return made_name(action_uid, identity(claim),
                   fmt::format("restore-{}", status.restores.value_or(0)));
}

}  // namespace holdfast::drivers::volumegroup
