#include <holdfast/model/field_text.h>
#include <holdfast/protect/cut/log_pod.h>
#include <holdfast/protect/pods.h>

namespace holdfast::protect {
namespace {

using model::Array;
using model::Object;

Object volume(std::string_view name, const std::string& claim, bool read_only) {
  return {{"name", name},
          {"persistentVolumeClaim", Object{{"claimName", claim}, {"readOnly", read_only}}}};
}

}  // namespace

Object log_pod(const LogRecord& log, const LogClaims& claims, const std::string& image,
               const std::vector<std::string>& command) {
  const LogTask task{.log = log};
  OwnPod pod{"log", "put-log-back", image, command};
  pod.volumes = {volume("kept", claims.kept, true), volume("data", claims.data, false)};
  if (!claims.log.empty()) pod.volumes.push_back(volume("log", claims.log, false));
  pod.parts = {
      {"env", Array{Object{{"name", "HOLDFAST_LOG"}, {"value", model::fields_to_json(task)}}}},
      {"terminationMessagePolicy", "FallbackToLogsOnError"},
      {"volumeMounts",
       Array{Object{{"name", "kept"}, {"mountPath", task.kept}, {"readOnly", true}},
             Object{{"name", "data"}, {"mountPath", task.data}},
             Object{{"name", claims.log.empty() ? "data" : "log"}, {"mountPath", task.target}}}}};
  return spec_of(std::move(pod));
}

}  // namespace holdfast::protect
