/// One run over a group of volumes: how it went step by step, what it made, and whether what it
/// holds is what the application would call consistent.
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

/// The inputs of a run, as they stood when it began.
struct Inputs : protect::CutInputs {
  std::optional<protect::Reference> location{};
  template <class V>
  void fields(V& v) {
    CutInputs::fields(v);
    v.optional("location", location, "where a backup goes");
  }
};

/// A step of a run, as the design has it, with times.
struct Step {
  std::string name{}, error{}, started_at{}, finished_at{}, pod{};
  State state = State::Pending;
  template <class V>
  void fields(V& v) {
    v.required("name", name, "of the step");
    v.required("state", state, "Pending, Started, Completed, Error or Skipped");
    v.optional("error", error, "why it failed, or was left out");
    v.optional("pod", pod, "where a command ran");
    v.optional("startedAt", started_at, "MicroTime");
    v.optional("finishedAt", finished_at, "MicroTime");
  }
};

struct ReferenceResource {
  std::string kind = "PersistentVolumeClaim", name{}, ns{};
  std::map<std::string, std::vector<std::string>> items{};
  template <class V>
  void fields(V& v) {
    v.required("kind", kind, "of the member");
    v.required("name", name, "of the member");
    v.required("namespace", ns, "of the member");
    v.optional("items", items, "what was made for it: volume, snapshot, backup, …");
  }
};

struct References {
  std::vector<ReferenceResource> resources{};
  template <class V>
  void fields(V& v) {
    v.optional("resources", resources, "one per claim");
  }
};

struct RunStatus {
  std::vector<Step> running{}, last{};
  References references{};
  std::string started{}, stopped{};
  template <class V>
  void fields(V& v) {
    v.optional("running", running, "steps of the run under way");
    v.optional("last", last, "steps of the run that is over");
    v.optional("references", references, "what it made");
    v.optional("started", started, "when it began", {.format = "date-time"});
    v.optional("stopped", stopped, "when it ended", {.format = "date-time"});
  }
};

}  // namespace holdfast::drivers::volumegroup
