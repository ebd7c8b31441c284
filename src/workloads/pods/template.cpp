#include "pods/template.h"

#include <holdfast/model/json.h>

#include <map>

namespace holdfast::workloads {
namespace {

using model::Array;
using model::Object;
using model::Value;

constexpr size_t kLongestName = 253;

void append_canonical(std::string& out, const Value& value) {
  if (const Object* object = value.if_object()) {
    std::map<std::string_view, const Value*> sorted;
    for (const auto& member : *object) sorted.emplace(member.key(), &member.value());
    out += '{';
    for (const auto& [key, member] : sorted) {
      if (out.back() != '{') out += ',';
      model::append_json(out, Value(boost::json::string_view(key.data(), key.size())));
      out += ':';
      append_canonical(out, *member);
    }
    out += '}';
  } else if (const Array* array = value.if_array()) {
    out += '[';
    for (const Value& element : *array) {
      if (&element != array->begin()) out += ',';
      append_canonical(out, element);
    }
    out += ']';
  } else {
    model::append_json(out, value);
  }
}

}  // namespace

Value pod_from_template(const Value& pod_template, std::string_view ns, std::string_view name,
                        std::string_view generate_name, Value owner) {
  Object metadata;
  metadata["name"] = name;
  metadata["generateName"] = generate_name;
  metadata["namespace"] = ns;
  for (const std::string_view member : {"labels", "annotations", "finalizers"})
    if (const Value* given = model::find(pod_template, {"metadata", member}))
      metadata[member] = *given;
  metadata["ownerReferences"] = Array{std::move(owner)};
  const Value* spec = model::find(pod_template, {"spec"});
  return Object{{"apiVersion", "v1"},
                {"kind", "Pod"},
                {"metadata", std::move(metadata)},
                {"spec", spec != nullptr ? *spec : Value(Object())}};
}

std::string pod_prefix(std::string_view owner_name) {
  const std::string dashed = std::string(owner_name) + "-";
  return dashed.size() <= kLongestName ? dashed : std::string(owner_name);
}

std::string canonical_json(const Value& value) {
  std::string out;
  append_canonical(out, value);
  return out;
}

}  // namespace holdfast::workloads
