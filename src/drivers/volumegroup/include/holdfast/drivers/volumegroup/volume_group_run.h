/// Status of one run over a group of volumes: its inputs, steps, results and consistency.
#pragma once

#include <holdfast/control/operation.h>
#include <holdfast/drivers/volumegroup/volume_group.h>
#include <holdfast/drivers/volumegroup/volume_group_log.h>
#include <holdfast/protect/cut/backup.h>

namespace holdfast::drivers::volumegroup {

using Inputs = protect::BackupInputs;
using protect::ClaimRecord;
using protect::Consistency;
using protect::Cut;
using protect::PodRecord;
using protect::ReferenceResource;
using protect::RunStatus;
using protect::Step;

}  // namespace holdfast::drivers::volumegroup
