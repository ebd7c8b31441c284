// Logs of data moves: their progress, their events, the logs of their pods.
#include <holdfast/base/text.h>
#include <holdfast/cli/describe.h>
#include <holdfast/cli/moves.h>
#include <holdfast/kube/streams.h>
#include <holdfast/kube/typed.h>

#include "objects/moves/move_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

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

void print_events(Server& server, const Array& objects) {
  std::vector<std::pair<std::string, std::string>> lines;
  for (const Value& object : objects)
    for (const Value& each : events_about(server, object))
      lines.emplace_back(
          time_of(each),
          fmt::format("{} {} {}: {}", string_at(object, {"kind"}), string_at(each, {"type"}),
                      string_at(each, {"reason"}), string_at(each, {"message"})));
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [time, text] : lines) fmt::print("{} {}\n", harmless_line(time), harmless(text));
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
  if (!shown)
    fmt::print(stderr, "pod {}/{}: {}\n", ns, name, harmless_line(shown.error().error.what()));
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

std::string moves_text(Server& server, const std::string& ns, const std::string& label_selector,
                       protect::DataMove::Direction direction) {
  std::vector<Value> moves;
  (void)server.client().list(kube::resource_of<protect::DataMove>(), ns,
                             {.label_selector = label_selector}, [&moves](Value each) {
                               moves.push_back(std::move(each));
                               return true;
                             });
  return moves_text(moves, direction, server.clock().now());
}

void show_logs(Server& server, const Array& objects, const Array& moves, int64_t tail) {
  Array all = moves;
  all.insert(all.end(), objects.begin(), objects.end());
  print_events(server, all);
  for (const Value& move : moves)
    for (const Value& pod : movers_of(server, move)) print_log(server, pod, tail);
}

void show_logs(Server& server, const Value& object, const std::set<std::string>& namespaces,
               const std::string& label_selector, int64_t tail) {
  Array moves;
  for (const std::string& ns : namespaces) {
    const auto listed =
        server.client().list(kube::resource_of<protect::DataMove>(), ns,
                             {.label_selector = label_selector}, [&moves](Value move) {
                               moves.push_back(std::move(move));
                               return true;
                             });
    if (!listed)
      fmt::print(stderr, "data moves of namespace {}: {}\n", ns,
                 harmless_line(listed.error().error.what()));
  }
  show_logs(server, {object}, moves, tail);
}

}  // namespace holdfast::cli
