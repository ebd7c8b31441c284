#include "volumegroup/action/names.h"

#include <holdfast/control/sabotage.h>

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

uint64_t fnv1a(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ uint8_t(c)) * 0x100000001b3U;
  return hash;
}

}  // namespace

std::string made_name(std::string_view action_uid, std::string_view claim_uid,
                      std::string_view step) {
  static uint64_t drawn = 0;
  if (control::sabotage().no_names) return fmt::format("volume-group-action-{}", ++drawn);
  return fmt::format("volume-group-action-{:016x}",
                     fnv1a(fmt::format("{}/{}/{}", action_uid, claim_uid, step)));
}

std::string identity(const ClaimRecord& claim) {
  return claim.log ? fmt::format("{}.log.{}", claim.uid, claim.log->pod) : claim.uid;
}

std::string cut_label(std::string_view action_uid) {
  return fmt::format("cut.holdfast.dev/{:016x}", fnv1a(action_uid));
}

std::string staged_name(const VolumeGroupAction::Status& status, std::string_view action_uid,
                        const ClaimRecord& claim) {
  return made_name(action_uid, identity(claim),
                   fmt::format("restore-{}", status.restores.value_or(0)));
}

}  // namespace holdfast::drivers::volumegroup
