// Descriptions of our own kinds: where a move stands, whether a location can be used, how a
// repository fares.
#include <holdfast/base/text.h>
#include <holdfast/cli/words.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/repository.h>

#include "objects/describe/describe.h"
#include "objects/locations/upkeep_view.h"
#include "objects/moves/move_view.h"

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using model::string_at;
using model::Value;

/// "vault", "vault of namespace admins".
std::string reference_text(const Value& object, std::initializer_list<std::string_view> path) {
  const Value* reference = model::find(object, path);
  if (reference == nullptr) return "";
  const std::string_view ns = string_at(*reference, {"namespace"});
  return fmt::format("{}{}{}", string_at(*reference, {"name"}), ns.empty() ? "" : " of namespace ",
                     ns);
}

std::string subject_text(const Value& move) {
  const std::string_view of = string_at(move, {"spec", "volume", "namespace"});
  for (const char* member : {"persistentVolumeClaim", "volumeSnapshot"})
    if (const std::string_view name = string_at(move, {"spec", "volume", member}); !name.empty())
      return fmt::format("{}/{}{}{}", to_lower(member), name, of.empty() ? "" : " of namespace ",
                         of);
  const std::string_view pod = string_at(move, {"spec", "pod", "name"});
  if (const std::string_view name = string_at(move, {"spec", "document", "name"}); !name.empty())
    return fmt::format("document/{}", name);
  if (pod.empty()) return "";
  const std::string_view folder = string_at(move, {"spec", "pod", "directory"});
  return fmt::format("pod/{}{}{}", pod, folder.empty() ? "" : ":", folder);
}

std::string forgets_text(const Value& move) {
  if (!model::bool_at(move, {"spec", "allTagged"}, false))
    return fmt::format("{} snapshots", model::array_at(move, {"spec", "snapshots"}).size());
  std::vector<std::string> tags;
  for (const Value& each : model::array_at(move, {"spec", "tags"}))
    if (each.is_string()) tags.emplace_back(model::view(each.get_string()));
  return "all snapshots with " + join(tags, ", ");
}

/// "s3:http://host/bucket/prefix", "/srv/backup".
std::string place_text(const Value& location) {
  if (const std::string_view path = string_at(location, {"spec", "file", "path"}); !path.empty())
    return std::string(path);
  const Value* s3 = model::find(location, {"spec", "s3"});
  if (s3 == nullptr) return "";
  std::string_view endpoint = string_at(*s3, {"endpoint"});
  if (endpoint.empty()) endpoint = "AWS";
  const std::string_view prefix = string_at(*s3, {"prefix"});
  return fmt::format("s3:{}/{}{}{}", endpoint, string_at(*s3, {"bucket"}),
                     prefix.empty() ? "" : "/", prefix);
}

std::string namespaces_text(const Value& location, std::string_view member) {
  std::vector<std::string> names;
  for (const Value& each : model::array_at(location, {"spec", member}))
    if (each.is_string()) names.emplace_back(model::view(each.get_string()));
  return names.empty() ? "its own namespace only" : join(names, ", ");
}

std::string phase_text(const Value& object) {
  const std::string_view phase = string_at(object, {"status", "phase"});
  return phase.empty() ? "not observed yet" : std::string(phase);
}

}  // namespace

void describe_move(const Value& move, Sheet& sheet, const Beside& beside) {
  const MoveView view = view_of(move, beside.now);
  sheet.entry("Phase", view.ended() ? end_text(view) : progress_text(view));
  sheet.entry("Direction", view.direction);
  const bool to_volume =
      view.direction == "Restore" && model::find(move, {"spec", "document"}) == nullptr;
  if (view.direction == "Forget")
    sheet.entry("Forgets", forgets_text(move));
  else
    sheet.entry(to_volume ? "To" : "From", subject_text(move));
  const std::string location = reference_text(move, {"spec", "location"});
  sheet.entry("Location", location.empty() ? "the default one" : location);
  sheet.entry_if("Repository", string_at(move, {"status", "repository"}));
  if (view.direction == "Restore") sheet.entry("Snapshot", string_at(move, {"spec", "snapshot"}));
  if (view.direction != "Restore") sheet.entry("Snapshot", view.snapshot);
  sheet.entry("Progress",
              fmt::format("{} of {}, {} uploaded by this attempt", size_text(view.done),
                          view.total > 0 ? size_text(view.total) : "?", size_text(view.uploaded)));
  if (!view.verified.empty())
    sheet.entry("Verified",
                fmt::format("{}, {}", view.verified,
                            when(string_at(move, {"status", "verified", "time"}), beside.now)));
  sheet.entry("Attempts", fmt::format("{} of {}", view.attempt,
                                      1 + model::int_at(move, {"spec", "backoffLimit"}, 3)));
  std::vector<std::string> movers;
  const std::string uid(string_at(move, {"metadata", "uid"}));
  for (const Value& pod : beside.list(kube::kPods, view.ns, "holdfast.dev/data-move=" + uid))
    movers.push_back(fmt::format("{} ({})", string_at(pod, {"metadata", "name"}),
                                 string_at(pod, {"status", "phase"})));
  if (!movers.empty()) sheet.entry("Mover Pods", join(movers, "\n"));
}

void describe_location(const Value& location, Sheet& sheet, const Beside& beside) {
  sheet.entry("Phase", phase_text(location));
  sheet.entry("Place", place_text(location));
  sheet.entry_if("Region", string_at(location, {"spec", "s3", "region"}));
  sheet.entry("Key", reference_text(location, {"spec", "credential"}).empty()
                         ? "<none>"
                         : "Secret " + reference_text(location, {"spec", "credential"}));
  sheet.entry("Password", reference_text(location, {"spec", "password"}).empty()
                              ? "<none>"
                              : "Secret " + reference_text(location, {"spec", "password"}));
  sheet.entry("Default", model::bool_at(location, {"spec", "default"}, false) ? "yes" : "no");
  if (model::bool_at(location, {"spec", "readOnly"}, false)) sheet.entry("Read Only", "yes");
  sheet.entry("Used By", namespaces_text(location, "allowedNamespaces"));
  sheet.entry("Forgotten By", namespaces_text(location, "allowForget"));
  sheet.entry_if("Keeps All For", string_at(location, {"spec", "minimumRetention"}));
  sheet.entry("Checked", when(string_at(location, {"status", "lastChecked"}), beside.now));
  const std::string name(string_at(location, {"metadata", "name"}));
  const std::string ns(string_at(location, {"metadata", "namespace"}));
  std::vector<std::string> repositories;
  for (const Value& each : beside.list(kube::resource_of<protect::Repository>(), "", "")) {
    const std::string_view of = string_at(each, {"spec", "location", "namespace"});
    const std::string_view own = string_at(each, {"metadata", "namespace"});
    if (string_at(each, {"spec", "location", "name"}) != name || (of.empty() ? own : of) != ns)
      continue;
    repositories.push_back(fmt::format(
        "{}/{}: {} snapshots, {}", own, string_at(each, {"metadata", "name"}),
        model::int_at(each, {"status", "snapshots"}, 0), string_at(each, {"status", "size"})));
  }
  sheet.entry("Repositories", join(repositories, "\n"));
}

void describe_repository(const Value& repository, Sheet& sheet, const Beside& beside) {
  sheet.entry("Location", reference_text(repository, {"spec", "location"}));
  sheet.entry_if("ID", string_at(repository, {"status", "repositoryID"}));
  sheet.entry("Size", string_at(repository, {"status", "size"}));
  sheet.entry("Snapshots",
              model::find(repository, {"status", "snapshots"}) == nullptr
                  ? "<unknown>"
                  : std::to_string(model::int_at(repository, {"status", "snapshots"}, 0)));
  const auto upkeep = [&](const char* title, std::string_view last, std::string_view what) {
    const std::string_view schedule =
        string_at(repository, {"spec", "maintenance", what, "schedule"});
    const std::string then = when(string_at(repository, {"status", last}), beside.now);
    sheet.entry(title,
                fmt::format("{}; {}{}", then.empty() ? "never yet" : then,
                            schedule.empty() ? "on request only" : "by schedule ", schedule));
  };
  upkeep("Last Check", "lastCheck", "check");
  upkeep("Last Prune", "lastPrune", "prune");
  sheet.entry_if("Not Read Since",
                 when(string_at(repository, {"status", "oldestUnverifiedData"}), beside.now));
  const std::string_view asked = string_at(repository, {"metadata", "annotations", kRunAnnotation});
  if (!asked.empty()) sheet.entry("Asked For", asked);
}

}  // namespace holdfast::cli
