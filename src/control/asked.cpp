#include <holdfast/control/asked.h>

namespace holdfast::control {
namespace {

using model::Object;
using model::Value;

Object text_of(const model::FieldType& type, const void* of) {
  Value out;
  type.encode(of, out);
  return out.as_object();
}

std::vector<std::string> names_of(const model::FieldType& type) {
  Object schema;
  type.describe(schema);
  std::vector<std::string> out;
  for (const auto& each : schema.at("properties").as_object()) out.emplace_back(each.key());
  return out;
}

}  // namespace

std::vector<std::string> differing_fields(const model::FieldType& type, const void* was,
                                          const void* is) {
  const Object before = text_of(type, was), after = text_of(type, is);
  std::vector<std::string> out;
  for (std::string& name : names_of(type)) {
    const Value* const old = before.if_contains(name);
    const Value* const now = after.if_contains(name);
    const bool same = old && now ? *old == *now : old == now;
    if (!same) out.push_back(std::move(name));
  }
  return out;
}

}  // namespace holdfast::control
