#include "objects/groups/action_logs.h"

#include <holdfast/kube/streams.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/data_move.h>

#include "objects/describe/describe.h"
#include "objects/groups/group_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <set>

namespace holdfast::cli {
namespace {

using model::Array;
using model::string_at;
using model::Value;

std::string time_of(const Value& event) {
  for (const char* member : {"lastTimestamp", "eventTime", "firstTimestamp"})
    if (const std::string_view time = string_at(event, {member}); !time.empty())
      return std::string(time);
  return std::string(string_at(event, {"metadata", "creationTimestamp"}));
}

/// Of all objects of the action, in the order of time.
void print_events(Server& server, const Array& objects) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Value& object : objects)
    for (const Value& each : events_about(server, object))
      lines.emplace_back(
          time_of(each),
          fmt::format("{} {} {}: {}", string_at(object, {"kind"}), string_at(each, {"type"}),
                      string_at(each, {"reason"}), harmless(string_at(each, {"message"}))));
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [time, text] : lines) fmt::print("{} {}\n", time, text);
}

/// Where its data moves are: with its claims, or where it searched.
std::set<std::string> namespaces_of(const FoundAction& found) {
  std::set<std::string> out{found.ns};
  if (found.action.status.frozen) out.insert(found.action.status.frozen->ns);
  if (found.action.spec.source && !found.action.spec.source->ns.empty())
    out.insert(found.action.spec.source->ns);
  return out;
}

void print_log(Server& server, const Value& pod, int64_t tail) {
  const std::string ns(string_at(pod, {"metadata", "namespace"}));
  const std::string name(string_at(pod, {"metadata", "name"}));
  kube::LogOptions options;
  if (tail >= 0) options.tail_lines = tail;
  fmt::print("--- pod {}/{} ({})\n", ns, name, string_at(pod, {"status", "phase"}));
  std::string text;
  const auto shown = kube::logs(server.client(), ns, name, options, [&](std::string_view bytes) {
    text += bytes;
    return true;
  });
  fmt::print("{}{}", harmless(text), text.empty() || text.ends_with('\n') ? "" : "\n");
  if (!shown) fmt::print(stderr, "pod {}/{}: {}\n", ns, name, shown.error().error.what());
}

/// Movers for a location of another namespace run there; who may not look there sees the others.
Array movers_of(Server& server, const Value& move) {
  const std::string labels =
      fmt::format("holdfast.dev/data-move={}", string_at(move, {"metadata", "uid"}));
  Array out;
  const auto take = [&out](Value pod) {
    out.push_back(std::move(pod));
    return true;
  };
  if (server.client().list(kube::kPods, "", {.label_selector = labels}, take)) return out;
  out.clear();
  (void)server.client().list(kube::kPods, string_at(move, {"metadata", "namespace"}),
                             {.label_selector = labels}, take);
  return out;
}

}  // namespace

Result<int> show_action_logs(const ServerChoice& choice, const std::string& name, int64_t tail) {
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(choice));
  const FoundAction found = HF_TRY(read_action(*server, name));
  Array moves;
  const std::string labels = fmt::format("{}={}", drivers::volumegroup::kActionLabel, found.uid);
  for (const std::string& ns : namespaces_of(found)) {
    const auto listed = server->client().list(kube::resource_of<protect::DataMove>(), ns,
                                              {.label_selector = labels}, [&moves](Value move) {
                                                moves.push_back(std::move(move));
                                                return true;
                                              });
    if (!listed)
      fmt::print(stderr, "data moves of namespace {}: {}\n", ns, listed.error().error.what());
  }
  Array all = moves;
  all.push_back(found.object);
  print_events(*server, all);
  for (const Value& move : moves)
    for (const Value& pod : movers_of(*server, move)) print_log(*server, pod, tail);
  return 0;
}

}  // namespace holdfast::cli
