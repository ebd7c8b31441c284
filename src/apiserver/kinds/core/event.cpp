/// Events, in the core form and in that of events.k8s.io. Both are one stored thing; the real
/// server checks its internal form, whose names are mostly the core ones, and shows those.
#include "kinds/core/core.h"
#include "kinds/go_struct.h"
#include "kinds/place.h"

#include <fmt/format.h>

namespace holdfast::apiserver::core {

using model::Value;

namespace {

constexpr size_t kMaxWords = 128;
constexpr size_t kMaxNote = 1024;

/// Names of the same member in one of the forms.
struct Form {
  std::string_view object, message, controller, first, last, count, source;
};
constexpr Form kCoreForm{"involvedObject", "message",       "reportingComponent",
                         "firstTimestamp", "lastTimestamp", "count",
                         "source"};
constexpr Form kNewForm{"regarding",
                        "note",
                        "reportingController",
                        "deprecatedFirstTimestamp",
                        "deprecatedLastTimestamp",
                        "deprecatedCount",
                        "deprecatedSource"};

void check_object_namespace(const Place& event, const Form& form) {
  const Place object = event[form.object]["namespace"].as("involvedObject.namespace");
  const std::string_view ns = event["metadata"]["namespace"].text();
  bool matches = object.text() == ns;
  if (event["eventTime"].empty()) {
    if (object.empty()) matches = ns.empty() || ns == "default";
  } else {
    matches = !object.empty() || ns == "default" || ns == "kube-system";
  }
  if (!matches) object.invalid(Value(object.text()), "does not match event.namespace");
}

void check_length(const Place& text, size_t most) {
  if (text.text().size() > most)
    text.invalid(Value(""), fmt::format("can have at most {} characters", most));
}

/// What an event that says when it happened must also say.
void check_timed(const Place& event, const Form& form) {
  event[form.controller].need();
  event[form.controller].qualified_name();
  for (std::string_view name : {"reportingInstance", "action", "reason"}) {
    event[name].need();
    check_length(event[name], kMaxWords);
  }
  check_length(event[form.message].as("message"), kMaxNote);
}

void check_both_forms(const Place& event, const Form& form) {
  check_object_namespace(event, form);
  if (!event["eventTime"].empty()) check_timed(event, form);
  event["metadata"]["namespace"].as("namespace").dns_subdomain();
}

void validate(const Value& event, model::FieldErrors& errors) {
  check_both_forms(Place(event, errors), kCoreForm);
}

void check_series(const Place& event) {
  const Place series = event["series"];
  if (!series.present()) return;
  if (series["count"].number() < 2) series["count"].invalid(Value(""), "should be at least 2");
  series["lastObservedTime"].need();
}

void validate_new(const Value& object, model::FieldErrors& errors) {
  const Place event(object, errors);
  check_both_forms(event, kNewForm);
  check_series(event);
  event["eventTime"].need();
  const std::string_view type = event["type"].text();
  if (type != "Normal" && type != "Warning")
    event["type"].invalid(Value(""), fmt::format("has invalid value: {}", type));
  for (auto [name, shown] : {std::pair(kNewForm.first, kCoreForm.first),
                             {kNewForm.last, kCoreForm.last},
                             {kNewForm.count, kCoreForm.count},
                             {kNewForm.source, kCoreForm.source}})
    if (!event[name].empty())
      event[name].as(std::string(shown)).invalid(Value(""), "needs to be unset");
}

const Value& member(const Value& object, std::string_view name) {
  static const Value absent;
  const Value* found = model::find(object, {name});
  return found == nullptr ? absent : *found;
}

void check_kept(const Place& event, const Value& old, std::string_view name,
                std::string_view shown) {
  const Place now = event[name].as(std::string(shown));
  if (model::equal(now.value(), member(old, name))) return;
  Value value = now.value();
  if (shown == "involvedObject" || shown == "related")
    value = go_reference(value);
  else if (shown == "source")
    value = go_struct(value, {{"Component", "component"}, {"Host", "host"}});
  now.invalid(std::move(value), "field is immutable");
}

void validate_new_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  const Place event(object, errors);
  check_both_forms(event, kNewForm);
  if (!model::equal(event["series"].value(), member(old, "series"))) check_series(event);
  check_kept(event, old, kNewForm.object, kCoreForm.object);
  check_kept(event, old, "reason", "reason");
  check_kept(event, old, kNewForm.message, kCoreForm.message);
  check_kept(event, old, kNewForm.source, kCoreForm.source);
  check_kept(event, old, kNewForm.first, kCoreForm.first);
  check_kept(event, old, kNewForm.last, kCoreForm.last);
  check_kept(event, old, kNewForm.count, kCoreForm.count);
  for (std::string_view name : {"reason", "type", "eventTime", "action", "related",
                                "reportingController", "reportingInstance"})
    check_kept(event, old, name, name);
}

}  // namespace

constinit const KindRules kEvent = {
    .group = "",
    .kind = "Event",
    .validate = validate,
    .name_rule = model::check_path_segment,
};

constinit const KindRules kNewEvent = {
    .group = "events.k8s.io",
    .kind = "Event",
    .validate = validate_new,
    .validate_update = validate_new_update,
};

}  // namespace holdfast::apiserver::core
