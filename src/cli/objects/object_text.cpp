#include <holdfast/base/text.h>
#include <holdfast/cli/object_text.h>
#include <holdfast/model/yaml.h>

#include "repo/print/json_object.h"

#include <fmt/format.h>

#include <map>

namespace holdfast::cli {
namespace {

using model::Array;
using model::Object;
using model::Value;

constexpr size_t kIndent = 4;

// As deep as a parsed value can be: model::kMaxDepth.
Value sorted(const Value& value) {
  if (value.is_array()) {
    Array out;
    for (const Value& each : value.get_array()) out.push_back(sorted(each));
    return out;
  }
  if (!value.is_object()) return value;
  std::map<std::string_view, const Value*> members;
  for (const auto& member : value.get_object()) members[member.key()] = &member.value();
  Object out;
  for (const auto& [name, member] : members) out[name] = sorted(*member);
  return out;
}

}  // namespace

Result<bool> wants_json(std::string_view output) {
  if (output.empty() || output == "json") return output == "json";
  return Error(Fault::Invalid, fmt::format("-o {}: only json", output));
}

Result<OutputForm> output_form(std::string_view text) {
  if (text.empty()) return OutputForm::Table;
  if (text == "wide") return OutputForm::Wide;
  if (text == "name") return OutputForm::Name;
  if (text == "json") return OutputForm::Json;
  if (text == "yaml") return OutputForm::Yaml;
  return Error(Fault::Invalid,
               fmt::format("unable to match a printer suitable for the output format {}, allowed "
                           "formats are: json,name,wide,yaml",
                           holdfast::quoted(text)));
}

Value shown_object(const Value& object) {
  Value out = object;
  model::erase(out, {"metadata", "managedFields"});
  return sorted(out);
}

std::string readable_yaml(const Value& value) {
  const std::string yaml = model::to_yaml(value);
  std::string out;
  for (size_t at = 0; at < yaml.size(); ++at) {
    // Backslashes stand in quoted strings only, and always before another character.
    const std::string_view escape = std::string_view(yaml).substr(at, 6);
    const size_t which = escape == "\\u003c"   ? 0
                         : escape == "\\u003e" ? 1
                         : escape == "\\u0026" ? 2
                                               : 3;
    if (which < 3) {
      out += "<>&"[which];
      at += 5;
    } else if (yaml[at] == '\\' && at + 1 < yaml.size()) {
      out += yaml[at++];
      out += yaml[at];
    } else {
      out += yaml[at];
    }
  }
  return out;
}

std::string object_text(const Value& object, OutputForm form) {
  if (form == OutputForm::Yaml) return readable_yaml(object);
  return indented(model::to_json(object), kIndent) + "\n";
}

Value list_of(Array items) {
  return Object{{"apiVersion", "v1"},
                {"items", std::move(items)},
                {"kind", "List"},
                {"metadata", Object{{"resourceVersion", ""}}}};
}

}  // namespace holdfast::cli
