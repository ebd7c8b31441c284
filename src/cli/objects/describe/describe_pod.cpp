// Descriptions of pods and claims: what runs, or why it does not, and who uses what.
#include <holdfast/base/text.h>

#include "objects/describe/describe.h"

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using model::string_at;
using model::Value;

/// "Running since 3m", "Waiting: CrashLoopBackOff: back-off 10s", "Terminated: Error, exit code 1".
std::string state_text(const Value& state, WallTime now) {
  if (const Value* running = model::find(state, {"running"}))
    return fmt::format("Running since {}", age(string_at(*running, {"startedAt"}), now));
  if (const Value* waiting = model::find(state, {"waiting"})) {
    const std::string_view message = string_at(*waiting, {"message"});
    return fmt::format("Waiting: {}{}{}", string_at(*waiting, {"reason"}),
                       message.empty() ? "" : ": ", message);
  }
  const Value* ended = model::find(state, {"terminated"});
  if (ended == nullptr) return "";
  const std::string_view message = trim(string_at(*ended, {"message"}));
  return fmt::format("Terminated: {}, exit code {}, {} ago{}{}", string_at(*ended, {"reason"}),
                     model::int_at(*ended, {"exitCode"}, 0),
                     age(string_at(*ended, {"finishedAt"}), now), message.empty() ? "" : ": ",
                     message);
}

const Value* status_of(const Value& pod, std::string_view member, std::string_view name) {
  for (const Value& each : model::array_at(pod, {"status", member}))
    if (string_at(each, {"name"}) == name) return &each;
  return nullptr;
}

void describe_containers(const Value& pod, Sheet& sheet, const Beside& beside, const char* title,
                         const char* member, const char* statuses) {
  std::vector<std::vector<std::string>> rows;
  for (const Value& container : model::array_at(pod, {"spec", member})) {
    const std::string_view name = string_at(container, {"name"});
    const Value* status = status_of(pod, statuses, name);
    std::string state, last;
    if (status != nullptr) {
      if (const Value* now = model::find(*status, {"state"})) state = state_text(*now, beside.now);
      if (const Value* then = model::find(*status, {"lastState"}))
        last = state_text(*then, beside.now);
    }
    if (!last.empty()) state += "; before: " + last;
    rows.push_back({std::string(name), std::string(string_at(container, {"image"})),
                    status != nullptr && model::bool_at(*status, {"ready"}, false) ? "yes" : "no",
                    std::to_string(status ? model::int_at(*status, {"restartCount"}, 0) : 0),
                    state});
  }
  if (!rows.empty()) sheet.table(title, {"Name", "Image", "Ready", "Restarts", "State"}, rows);
}

std::string volumes_text(const Value& pod) {
  std::vector<std::string> lines;
  for (const Value& volume : model::array_at(pod, {"spec", "volumes"})) {
    for (const auto& member : volume.is_object() ? volume.get_object() : model::Object()) {
      if (member.key() == "name") continue;
      std::string source(member.key());
      for (const char* name : {"claimName", "secretName", "name", "path"})
        if (const std::string_view of = string_at(member.value(), {name}); !of.empty()) {
          source += fmt::format(" {}", of);
          break;
        }
      lines.push_back(fmt::format("{}: {}", string_at(volume, {"name"}), source));
    }
  }
  return join(lines, "\n");
}

std::string modes_text(const Value& claim) {
  std::vector<std::string> modes;
  for (const Value& mode : model::array_at(claim, {"spec", "accessModes"}))
    if (mode.is_string()) modes.emplace_back(model::view(mode.get_string()));
  return join(modes, ", ");
}

}  // namespace

void describe_pod(const Value& pod, Sheet& sheet, const Beside& beside) {
  std::string status(string_at(pod, {"status", "phase"}));
  for (const char* member : {"reason", "message"})
    if (const std::string_view more = string_at(pod, {"status", member}); !more.empty())
      status += fmt::format(": {}", more);
  sheet.entry("Status", status);
  sheet.entry("Node", string_at(pod, {"spec", "nodeName"}));
  sheet.entry("IP", string_at(pod, {"status", "podIP"}));
  sheet.entry_if("Started", when(string_at(pod, {"status", "startTime"}), beside.now));
  sheet.entry("Volumes", volumes_text(pod));
  describe_containers(pod, sheet, beside, "Init Containers", "initContainers",
                      "initContainerStatuses");
  describe_containers(pod, sheet, beside, "Containers", "containers", "containerStatuses");
}

void describe_claim(const Value& claim, Sheet& sheet, const Beside& beside) {
  sheet.entry("Status", string_at(claim, {"status", "phase"}));
  sheet.entry("Volume", string_at(claim, {"spec", "volumeName"}));
  sheet.entry("Class", string_at(claim, {"spec", "storageClassName"}));
  sheet.entry("Requested", string_at(claim, {"spec", "resources", "requests", "storage"}));
  sheet.entry("Capacity", string_at(claim, {"status", "capacity", "storage"}));
  sheet.entry("Access Modes", modes_text(claim));
  const std::string_view from = string_at(claim, {"spec", "dataSource", "name"});
  if (!from.empty())
    sheet.entry("From",
                fmt::format("{} {}", string_at(claim, {"spec", "dataSource", "kind"}), from));
  const std::string_view name = string_at(claim, {"metadata", "name"});
  std::vector<std::string> users;
  for (const Value& pod :
       beside.list(kube::kPods, std::string(string_at(claim, {"metadata", "namespace"})), ""))
    for (const Value& volume : model::array_at(pod, {"spec", "volumes"}))
      if (string_at(volume, {"persistentVolumeClaim", "claimName"}) == name)
        users.push_back(fmt::format("{} ({})", string_at(pod, {"metadata", "name"}),
                                    string_at(pod, {"status", "phase"})));
  sheet.entry("Used By", join(users, "\n"));
}

}  // namespace holdfast::cli
