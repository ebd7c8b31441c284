/// Records of a quiesce, in the status of the object that asked for it: how each command went, what
/// is still owed, and what a profile said.
#pragma once

#include <holdfast/model/fields.h>

#include <string>
#include <vector>

namespace holdfast::protect {

/// How one command went in one pod; in status, as a step.
struct QuiesceStep {
  std::string name{}, pod{};
  std::string state{};  ///< Started until its end is known, then Completed or Error
  std::string error{};
  std::string started_at{}, finished_at{};  ///< MicroTime
  template <class V>
  void fields(V& v) {
    v.required("name", name, "name of the action");
    v.optional("pod", pod, "pod where it ran");
    v.required("state", state, "Completed, Error or Skipped");
    v.optional("error", error, "reason of the failure");
    v.optional("startedAt", started_at, "start of the action");
    v.optional("finishedAt", finished_at, "end of the action");
  }
};

/// Commands that are still owed in a container.
struct Owed {
  std::string pod{}, container{};
  std::vector<std::string> commands{};
  std::string error{};  ///< of the last try
  template <class V>
  void fields(V& v) {
    v.required("pod", pod, "pod that may still be quiesced");
    v.optional("container", container, "container of the post actions owed");
    v.required("commands", commands, "names of the post actions owed in the container");
    v.optional("error", error, "error of the last attempt");
  }
};

/// What a profile said of the lock that it let go: one line.
struct QuiesceNote {
  std::string pod{}, text{};
  template <class V>
  void fields(V& v) {
    v.required("pod", pod, "name of the pod");
    v.required("text", text, "text of the note");
  }
};

}  // namespace holdfast::protect
