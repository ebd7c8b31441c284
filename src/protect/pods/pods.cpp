#include <holdfast/model/marks.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/pods.h>

namespace holdfast::protect {

using model::Array;
using model::Object;
using model::string_at;
using model::Value;

Object spec_of(OwnPod pod) {
  Array command;
  for (const std::string& word : pod.command) command.emplace_back(word);
  command.emplace_back(pod.word);
  Object container = std::move(pod.parts);
  container["name"] = pod.container;
  container["image"] = pod.image;
  container["imagePullPolicy"] = "IfNotPresent";
  container["command"] = std::move(command);
  if (pod.reports) container["terminationMessagePolicy"] = "File";
  Object spec{{"restartPolicy", "Never"},
              {"containers", Array{Value(std::move(container))}},
              {"volumes", std::move(pod.volumes)}};
  if (pod.account.empty())
    spec["automountServiceAccountToken"] = false;
  else
    spec["serviceAccountName"] = pod.account;
  // Files of every owner, device nodes and capabilities of files are read and given back, which no
  // range of ids of its own can.
  spec["hostUsers"] = true;
  if (pod.reports) spec["terminationGracePeriodSeconds"] = 30;
  return spec;
}

void judge_by_namespace(Object& metadata) {
  Value& annotations = metadata["annotations"];
  if (!annotations.is_object()) annotations = Object();
  annotations.get_object()[model::kReach] = model::kReachOfNamespace;
}

std::string PodSeen::why_waiting() const {
  return waiting.message.empty() ? waiting.reason : waiting.text();
}

const std::string& PodSeen::said() const {
  if (!report.empty()) return report;
  if (!waiting.message.empty()) return waiting.message;
  return not_scheduled.empty() ? message : not_scheduled;
}

PodSeen pod_seen(const kube::Cached& pod) {
  const auto shared = pod.shared_value();
  const Value& value = *shared;
  PodSeen out;
  out.object = pod;
  out.phase = string_at(value, {"status", "phase"});
  out.message = string_at(value, {"status", "message"});
  out.deleting = pod.being_deleted();
  out.created = model::parse_rfc3339(string_at(value, {"metadata", "creationTimestamp"}));
  for (const Value& each : model::array_at(value, {"status", "conditions"}))
    if (string_at(each, {"type"}) == "PodScheduled" && string_at(each, {"status"}) == "False")
      out.not_scheduled = string_at(each, {"message"});
  for (const Value& each : model::array_at(value, {"status", "containerStatuses"})) {
    out.report = string_at(each, {"state", "terminated", "message"});
    out.ended = model::parse_rfc3339(string_at(each, {"state", "terminated", "finishedAt"}));
    out.waiting = {std::string(string_at(each, {"state", "waiting", "reason"})),
                   std::string(string_at(each, {"state", "waiting", "message"}))};
  }
  return out;
}

}  // namespace holdfast::protect
