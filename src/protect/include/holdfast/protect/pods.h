/// Pods that run this program with one word and a task, over volumes; and the end of such a pod.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/control/refusal.h>
#include <holdfast/kube/cached.h>
#include <holdfast/model/json.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect {

struct OwnPod {
  std::string_view container;  ///< its name, by which logs are asked for
  std::string_view word;       ///< what the program is to do: "mover"
  std::string image;
  std::vector<std::string> command;  ///< the program there
  model::Object parts{};             ///< of the container: env, volumeMounts, volumeDevices
  model::Array volumes{};
  std::string_view account{};  ///< "": none, and no token
  bool reports = false;        ///< its last words count: it has time to say them
};

/// The spec of a pod that runs once.
model::Object spec_of(OwnPod pod);

/// For the metadata of a pod, or of a pod's template, that is made from what a tenant wrote (an
/// image, a securityContext): on one machine the server then judges it by what its namespace may
/// reach, not by what the operator may. On a cluster that is so anyway, and the mark means nothing.
void judge_by_namespace(model::Object& metadata);

struct PodSeen {
  kube::Cached object{};
  std::string phase{};  ///< Pending, Running, Succeeded, Failed
  bool deleting = false;
  std::optional<WallTime> created{}, ended{};
  std::string report{};         ///< its container's termination message
  control::Refusal waiting{};   ///< why its container does not start; no reason if it does
  std::string not_scheduled{};  ///< why no node takes it
  std::string message{};        ///< of the pod itself
  /// "REASON: message", or the reason alone; "" if it does not wait.
  std::string why_waiting() const;
  /// What tells most of it: its last words, else why it has none yet.
  const std::string& said() const;
};

PodSeen pod_seen(const kube::Cached& pod);

}  // namespace holdfast::protect
