#include "restore_spec.h"

#include <holdfast/cli/moves.h>
#include <holdfast/cli/words.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {

Result<VolumeGroupAction::Restore> restore_of(const RestoreFlags& flags) {
  using Conflict = VolumeGroupAction::Conflict;
  VolumeGroupAction::Restore out;
  out.ns = flags.into;
  const auto conflict = model::from_word<Conflict>(flags.conflict);
  if (!conflict)
    return Error(Fault::Invalid,
                 fmt::format("--conflict {}: not one of Fail, Rename, Replace", flags.conflict));
  out.conflict = *conflict;
  if (!flags.suffix.empty() && *conflict != Conflict::Rename)
    return Error(Fault::Invalid, "--suffix is of --conflict Rename");
  out.suffix = flags.suffix;
  for (const std::string& each : flags.storage_classes) {
    const size_t equals = each.find('=');
    if (equals == each.npos || equals == 0 || equals + 1 == each.size())
      return Error(Fault::Invalid, fmt::format("--storage-class {}: not OLD=NEW", each));
    out.storage_classes[each.substr(0, equals)] = each.substr(equals + 1);
  }
  return out;
}

Result<VolumeGroupAction::Source> source_of(const SourceFlags& flags, const std::string& ns) {
  VolumeGroupAction::Source out;
  out.group = flags.group.find('/') == flags.group.npos ? fmt::format("{}/{}", ns, flags.group)
                                                        : flags.group;
  if (!flags.location.empty())
    out.location = HF_TRY(cli::parse_reference("--location", flags.location));
  out.id = flags.id;
  out.ns = flags.repository;
  if (!flags.before.empty()) {
    if (model::parse_rfc3339(flags.before))
      out.before = flags.before;
    else
      out.before = model::to_rfc3339(HF_TRY(cli::parse_local_time("--before", flags.before)));
  }
  return out;
}

}  // namespace holdfast::drivers::volumegroup
