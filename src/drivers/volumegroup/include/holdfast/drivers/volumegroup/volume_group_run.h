/// Status of one run over a group of volumes: its inputs, steps, results and consistency.
#pragma once

#include <holdfast/control/operation.h>
#include <holdfast/drivers/volumegroup/volume_group.h>
#include <holdfast/drivers/volumegroup/volume_group_log.h>
#include <holdfast/protect/cut/verdict.h>

namespace holdfast::drivers::volumegroup {

using protect::ClaimRecord;
using protect::Consistency;
using protect::Cut;
using protect::PodRecord;
using protect::ReferenceResource;
using protect::RunStatus;
using protect::Step;

/// The inputs of a run, as they stood when it began.
struct Inputs : protect::CutInputs {
  std::optional<protect::Reference> location{};
  std::string repository{}, nonce{};
  template <class V>
  void fields(V& v) {
    CutInputs::fields(v);
    v.optional("location", location, "BackupLocation of the backup");
    v.optional("repository", repository,
               "name of the repository of the backup; empty: that of the members' namespace");
    v.optional("nonce", nonce, "value in a tag of all snapshots of the backup, drawn at the start");
  }
};

}  // namespace holdfast::drivers::volumegroup
