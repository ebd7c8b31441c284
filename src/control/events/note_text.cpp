#include "events/note_text.h"

#include <holdfast/model/time.h>

#include <fmt/format.h>

namespace holdfast::control {
namespace {

/// What the server takes for a note; more is refused with 422.
constexpr size_t kMostNote = 1024;
constexpr size_t kMostName = 253;

std::string cut(std::string_view text) {
  if (text.size() <= kMostNote) return std::string(text);
  size_t end = kMostNote - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  std::string out(text.substr(0, end));
  out += "...";
  return out;
}

}  // namespace

model::Value new_event(std::string_view controller, std::string_view instance,
                       const kube::Resource& resource, const kube::Cached& about, const Note& note,
                       WallTime now) {
  const std::string stamp = fmt::format(".{:x}", now.time_since_epoch().count());
  std::string name(about.name().substr(0, kMostName - stamp.size()));
  name += stamp;
  const std::string ns(about.ns().empty() ? "default" : about.ns());
  model::Object regarding{{"apiVersion", resource.api_version()},
                          {"kind", resource.kind},
                          {"name", about.name()},
                          {"uid", about.uid()},
                          {"resourceVersion", std::to_string(about.version())}};
  if (!about.ns().empty()) regarding["namespace"] = about.ns();
  if (!note.field.empty()) regarding["fieldPath"] = note.field;
  return model::Object{{"apiVersion", "events.k8s.io/v1"},
                       {"kind", "Event"},
                       {"metadata", model::Object{{"name", name}, {"namespace", ns}}},
                       {"eventTime", model::to_rfc3339_micro(now)},
                       {"reportingController", controller},
                       {"reportingInstance", instance},
                       {"action", note.action.empty() ? note.reason : note.action},
                       {"reason", note.reason},
                       {"regarding", std::move(regarding)},
                       {"note", cut(note.message)},
                       {"type", note.warning ? "Warning" : "Normal"}};
}

model::Value as_core_event(const model::Value& event) {
  model::Value out = event;
  model::Object& object = out.as_object();
  object["apiVersion"] = "v1";
  object["involvedObject"] = object["regarding"];
  object["message"] = object["note"];
  object["reportingComponent"] = object["reportingController"];
  object.erase("regarding");
  object.erase("note");
  object.erase("reportingController");
  return out;
}

model::Value series_patch(int64_t count, WallTime last_seen) {
  return model::Object{
      {"series",
       model::Object{{"count", count}, {"lastObservedTime", model::to_rfc3339_micro(last_seen)}}}};
}

bool is_unserved(const model::Value& status) {
  return model::string_at(status, {"details", "name"}).empty();
}

}  // namespace holdfast::control
