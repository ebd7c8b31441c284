/// Restore spec from the flags of `holdfast group restore`.
#pragma once

#include <holdfast/drivers/volumegroup/volume_group_action.h>

#include <string>
#include <vector>

namespace holdfast::drivers::volumegroup {

struct RestoreFlags {
  std::string into{}, conflict = "Fail", suffix{};
  std::vector<std::string> storage_classes{};  ///< OLD=NEW
};
/// Invalid names the flag.
Result<VolumeGroupAction::Restore> restore_of(const RestoreFlags& flags);

/// A backup that only its repository knows.
struct SourceFlags {
  std::string group{};     ///< NAME, of the namespace, or NAMESPACE/NAME
  std::string location{};  ///< NAME or NAMESPACE/NAME; "" = the default one
  std::string id{}, before{};
  std::string repository{};  ///< whose it is; "" = the namespace's
};
Result<VolumeGroupAction::Source> source_of(const SourceFlags& flags, const std::string& ns);

}  // namespace holdfast::drivers::volumegroup
