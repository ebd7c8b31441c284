// Sections of every description: the metadata of the object, its conditions, spec and events.
#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/cli/object_text.h>
#include <holdfast/model/time.h>

#include "objects/describe/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::cli {
namespace {

using model::Array;
using model::Object;
using model::string_at;
using model::Value;

constexpr size_t kLongestAnnotation = 140;

std::string pairs_text(const Object& pairs, std::string_view between) {
  std::vector<std::string> lines;
  for (const auto& each : pairs) {
    // What `kubectl apply` keeps for itself is the whole object once more.
    if (each.key() == "kubectl.kubernetes.io/last-applied-configuration") continue;
    std::string value =
        each.value().is_string() ? std::string(model::view(each.value().get_string())) : "";
    if (value.size() > kLongestAnnotation) value = value.substr(0, kLongestAnnotation) + "...";
    lines.push_back(fmt::format("{}{}{}", std::string_view(each.key()), between, value));
  }
  std::sort(lines.begin(), lines.end());
  return join(lines, "\n");
}

void describe_metadata(const Value& object, Sheet& sheet, const Beside& beside) {
  const Value* metadata = model::find(object, {"metadata"});
  if (metadata == nullptr) return;
  sheet.entry("Name", string_at(*metadata, {"name"}));
  sheet.entry_if("Namespace", string_at(*metadata, {"namespace"}));
  sheet.entry("Kind", fmt::format("{} ({})", string_at(object, {"kind"}),
                                  string_at(object, {"apiVersion"})));
  sheet.entry("Labels", pairs_text(model::object_at(*metadata, {"labels"}), "="));
  sheet.entry("Annotations", pairs_text(model::object_at(*metadata, {"annotations"}), ": "));
  sheet.entry("Created", when(string_at(*metadata, {"creationTimestamp"}), beside.now));
  for (const Value& owner : model::array_at(*metadata, {"ownerReferences"}))
    if (model::bool_at(owner, {"controller"}, false))
      sheet.entry("Controlled By",
                  fmt::format("{}/{}", string_at(owner, {"kind"}), string_at(owner, {"name"})));
  const std::string_view deleting = string_at(*metadata, {"deletionTimestamp"});
  if (deleting.empty()) return;
  std::vector<std::string> finalizers;
  for (const Value& each : model::array_at(*metadata, {"finalizers"}))
    if (each.is_string()) finalizers.emplace_back(model::view(each.get_string()));
  sheet.entry(
      "Deleting",
      fmt::format("since {}{}", when(deleting, beside.now),
                  finalizers.empty() ? "" : "; waits for finalizers " + join(finalizers, ", ")));
}

void describe_conditions(const Value& object, Sheet& sheet, const Beside& beside) {
  const Array& conditions = model::array_at(object, {"status", "conditions"});
  if (conditions.empty()) return;
  std::vector<std::vector<std::string>> rows;
  for (const Value& each : conditions)
    rows.push_back(
        {std::string(string_at(each, {"type"})), std::string(string_at(each, {"status"})),
         age(string_at(each, {"lastTransitionTime"}), beside.now),
         std::string(string_at(each, {"reason"})), std::string(string_at(each, {"message"}))});
  sheet.table("Conditions", {"Type", "Status", "Since", "Reason", "Message"}, rows);
}

/// A Secret's values are for its readers, not for those who look over a shoulder.
Value sizes_of(const Object& data) {
  Object out;
  for (const auto& each : data) {
    const std::string_view text =
        each.value().is_string() ? model::view(each.value().get_string()) : "";
    out[each.key()] = fmt::format("{} bytes", from_base64(text).value_or("").size());
  }
  return out;
}

/// All that is left to say of it, in the names that one would write in a manifest.
void describe_rest(const Value& object, Sheet& sheet, bool with_status) {
  const bool secret = string_at(object, {"kind"}) == "Secret";
  Value shown = shown_object(object);
  for (const char* said : {"apiVersion", "kind", "metadata"}) model::erase(shown, {said});
  if (!shown.is_object()) return;
  model::erase(shown, {"status", "conditions"});
  if (!with_status || model::object_at(shown, {"status"}).empty()) model::erase(shown, {"status"});
  for (const auto& member : shown.get_object()) {
    std::string name(member.key());
    if (!name.empty() && name[0] >= 'a' && name[0] <= 'z') name[0] = char(name[0] - 'a' + 'A');
    if (member.value().is_string()) {
      sheet.entry(name, model::view(member.value().get_string()));
      continue;
    }
    const bool hidden = secret && member.value().is_object();
    sheet.block(name, harmless(readable_yaml(hidden ? sizes_of(member.value().get_object())
                                                    : member.value())));
  }
}

/// "3m (x4 over 10m)"
std::string event_age(const Value& event, WallTime now) {
  const auto first_of =
      [&event](std::initializer_list<std::initializer_list<std::string_view>> at) {
        for (const auto& path : at)
          if (const std::string_view found = string_at(event, path); !found.empty()) return found;
        return std::string_view();
      };
  const std::string_view first =
      first_of({{"firstTimestamp"}, {"eventTime"}, {"metadata", "creationTimestamp"}});
  const std::string_view last = first_of({{"series", "lastObservedTime"},
                                          {"lastTimestamp"},
                                          {"eventTime"},
                                          {"metadata", "creationTimestamp"}});
  const int64_t count =
      std::max(model::int_at(event, {"count"}, 1), model::int_at(event, {"series", "count"}, 1));
  if (count <= 1) return age(last, now);
  return fmt::format("{} (x{} over {})", age(last, now), count, age(first, now));
}

void describe_events(const Array& events, Sheet& sheet, const Beside& beside) {
  std::vector<const Value*> sorted;
  for (const Value& event : events) sorted.push_back(&event);
  const auto time_of = [](const Value* event) {
    const std::string_view last = string_at(*event, {"lastTimestamp"});
    return std::string(last.empty() ? string_at(*event, {"eventTime"}) : last);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&time_of](const Value* a, const Value* b) { return time_of(a) < time_of(b); });
  std::vector<std::vector<std::string>> rows;
  for (const Value* event : sorted) {
    std::string_view from = string_at(*event, {"source", "component"});
    if (from.empty()) from = string_at(*event, {"reportingComponent"});
    rows.push_back({std::string(string_at(*event, {"type"})),
                    std::string(string_at(*event, {"reason"})), event_age(*event, beside.now),
                    std::string(from), std::string(string_at(*event, {"message"}))});
  }
  sheet.table("Events", {"Type", "Reason", "Age", "From", "Message"}, rows);
}

constexpr std::array kOwnKinds{
    DescribedKind{"", "Pod", describe_pod},
    DescribedKind{"", "PersistentVolumeClaim", describe_claim},
    DescribedKind{"holdfast.dev", "DataMove", describe_move},
    DescribedKind{"holdfast.dev", "BackupLocation", describe_location},
    DescribedKind{"holdfast.dev", "Repository", describe_repository},
};

/// Null for a kind of which only what every kind has is told.
const DescribedKind* described_kind(const Value& object, const std::vector<DescribedKind>& kinds) {
  const std::string_view version = string_at(object, {"apiVersion"});
  const size_t slash = version.find('/');
  const std::string_view group = slash == version.npos ? "" : version.substr(0, slash);
  const auto is_it = [&](const DescribedKind& each) {
    return each.group == group && each.kind == string_at(object, {"kind"});
  };
  if (const auto* own = std::find_if(kOwnKinds.begin(), kOwnKinds.end(), is_it);
      own != kOwnKinds.end())
    return own;
  const auto found = std::find_if(kinds.begin(), kinds.end(), is_it);
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace

std::string age(std::string_view rfc3339, WallTime now) {
  const auto then = model::parse_rfc3339(rfc3339);
  return then ? model::human_duration(now - *then) : "<unknown>";
}

std::string when(std::string_view rfc3339, WallTime now) {
  if (rfc3339.empty()) return "";
  return fmt::format("{} ({} ago)", rfc3339, age(rfc3339, now));
}

std::string description(const Value& object, const Array& events, const Beside& beside,
                        const std::vector<DescribedKind>& kinds) {
  Sheet sheet;
  describe_metadata(object, sheet, beside);
  const DescribedKind* known = described_kind(object, kinds);
  if (known != nullptr) known->describe(object, sheet, beside);
  describe_conditions(object, sheet, beside);
  describe_rest(object, sheet, known == nullptr);
  describe_events(events, sheet, beside);
  return sheet.text();
}

}  // namespace holdfast::cli
