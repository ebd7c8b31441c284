// kubectl.kubernetes.io/last-applied-configuration: the applied object as JSON with sorted members
// and a final newline.

#include "apply/last_applied.h"

#include "apply/compare.h"
#include "apply/merge.h"

#include <algorithm>

namespace holdfast::model::apply {
namespace {

constexpr std::string_view kAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
// Keys and values of all annotations together.
constexpr size_t kMaxAnnotations = size_t(256) << 10;

std::string_view annotation_of(const Value& object) {
  return string_at(object, {"metadata", "annotations", kAnnotation});
}

Value sorted_copy(const Value& value) {
  if (value.is_array()) {
    Array out;
    out.reserve(value.get_array().size());
    for (const Value& item : value.get_array()) out.push_back(sorted_copy(item));
    return out;
  }
  if (!value.is_object()) return value;
  std::vector<const boost::json::key_value_pair*> members;
  for (const auto& member : value.get_object()) members.push_back(&member);
  std::sort(members.begin(), members.end(),
            [](const auto* a, const auto* b) { return a->key() < b->key(); });
  Object out;
  out.reserve(members.size());
  for (const auto* member : members) out.emplace(member->key(), sorted_copy(member->value()));
  return out;
}

// Go's encoder never lets these bytes out; in JSON they can stand only inside strings.
std::string html_safe(std::string_view json) {
  std::string out;
  out.reserve(json.size() + 1);
  for (const char c : json) {
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
  return out;
}

size_t annotations_size(const Value& object) {
  size_t size = 0;
  for (const auto& member : object_at(object, {"metadata", "annotations"}))
    size +=
        member.key().size() + (member.value().is_string() ? member.value().get_string().size() : 0);
  return size;
}

}  // namespace

Set fields_from_annotation(Arena& arena, const TypeRef& type, const Value& live,
                           std::string_view api_version) {
  const std::string_view text = annotation_of(live);
  if (text.empty()) return {};
  auto parsed = parse_json(text);
  if (!parsed || !parsed->value.is_object()) return {};
  const Value& last = *arena.keep(std::move(parsed->value));
  if (string_at(last, {"apiVersion"}) != api_version || string_at(last, {"kind"}).empty())
    return {};
  if (!check_typed(arena, type, live).empty() || !check_typed(arena, type, last).empty()) return {};
  const auto drift = compare(arena, type, last, live);
  if (!drift) return {};
  Set fields = field_set_of(arena, type, last);
  for (const Set& part : {drift->modified, drift->added, drift->removed})
    fields = subtract(arena, fields, part);
  return fields;
}

void update_annotation(Value& object, const Value& config) {
  if (annotation_of(object).empty()) return;
  Value said = sorted_copy(config);
  erase(said, {"metadata", "annotations", kAnnotation});
  ensure_object(object, {"metadata", "annotations"})
      .insert_or_assign(kAnnotation, html_safe(to_json(said)) + "\n");
  if (annotations_size(object) > kMaxAnnotations)
    erase(object, {"metadata", "annotations", kAnnotation});
}

}  // namespace holdfast::model::apply
