#include "group/act.h"

#include <holdfast/kube/typed.h>

namespace holdfast::drivers::volumegroup {

using control::Note;
using control::Outcome;
using model::Object;

namespace {

const kube::Resource& groups() { return kube::resource_of<VolumeGroup>(); }

}  // namespace

/// Only if it still is what was seen.
Outcome remove_label(const GroupSeen& seen, std::optional<Note> note) {
  control::Write write = control::drop_label(groups(), seen.object, seen.label_key);
  write.note = std::move(note);
  return Outcome::act(std::move(write));
}

Outcome create_action(const GroupSeen& seen) {
  VolumeGroupAction action;
  action.spec.group = seen.name;
  const std::string& request = seen.group.status.request;
  action.spec.action = request.starts_with("backup") ? GroupAction::Backup : GroupAction::Snapshot;
  model::Value object = model::encode_object(action);
  Object labels, annotations;
  labels[kGroupLabel] = seen.name;
  labels[kTrigger] = model::word(action.spec.action);
  // Who asked finds what became of it, also if the group has gone on by then.
  if (const size_t hash = request.find('#'); hash != request.npos)
    annotations[kRequestId] = request.substr(hash + 1);
  object.as_object()["metadata"] = Object{{"namespace", seen.ns},
                                          {"name", seen.group.status.running},
                                          {"labels", std::move(labels)},
                                          {"annotations", std::move(annotations)}};
  return Outcome::act(control::with_note(
      control::create(kube::resource_of<VolumeGroupAction>(), std::move(object)),
      {false, "ActionCreated", "VolumeGroupAction " + seen.group.status.running, "Trigger"}));
}

}  // namespace holdfast::drivers::volumegroup
