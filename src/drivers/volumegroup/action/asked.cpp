#include "volumegroup/action/asked.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using model::Object;
using model::Value;
using Asked = VolumeGroupAction::Asked;

Object text_of(const Asked& asked) {
  Value out;
  model::field_type<Asked>().encode(&asked, out);
  return out.as_object();
}

std::vector<std::string> fields_of_asked() {
  Object schema;
  model::field_type<Asked>().describe(schema);
  std::vector<std::string> out;
  for (const auto& each : schema.at("properties").as_object()) out.emplace_back(each.key());
  return out;
}

}  // namespace

std::vector<std::string> keep_to_asked(VolumeGroupAction& action) {
  std::vector<std::string> out;
  if (!action.status.asked) return out;
  const Object was = text_of(*action.status.asked), is = text_of(action.spec);
  for (const std::string& name : fields_of_asked()) {
    const Value* before = was.if_contains(name);
    const Value* after = is.if_contains(name);
    const bool same = before && after ? *before == *after : before == after;
    if (!same) out.push_back("spec." + name);
  }
  static_cast<Asked&>(action.spec) = *action.status.asked;
  return out;
}

void refuse_edits(Value& definition) {
  model::Array rules;
  for (const std::string& name : fields_of_asked())
    rules.push_back(
        Object{{"rule", fmt::format("has(self.{0}) == has(oldSelf.{0}) && "
                                    "(!has(self.{0}) || self.{0} == oldSelf.{0})",
                                    name)},
               {"message",
                fmt::format("spec.{} cannot be changed: create a new VolumeGroupAction", name)}});
  for (Value& version : definition.at("spec").at("versions").as_array())
    version.at("schema")
        .at("openAPIV3Schema")
        .at("properties")
        .at("spec")
        .as_object()["x-kubernetes-validations"] = rules;
}

}  // namespace holdfast::drivers::volumegroup
