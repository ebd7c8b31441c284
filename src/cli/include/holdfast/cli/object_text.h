/// Objects as kubectl prints them: members sorted, without what only the server's bookkeeping
/// needs.
#pragma once

#include <holdfast/model/json.h>

#include <string>

namespace holdfast::cli {

enum class OutputForm { Table, Wide, Name, Json, Yaml };

/// "", wide, name, json or yaml; Invalid otherwise, in kubectl's words.
Result<OutputForm> output_form(std::string_view text);

/// What `-o` says of commands that follow something: "" or json.
Result<bool> wants_json(std::string_view output);

/// The object without metadata.managedFields, members in the order of their names.
model::Value shown_object(const model::Value& object);
/// Json or Yaml, ending with a line break.
std::string object_text(const model::Value& object, OutputForm form);
/// For people: without the escapes that only HTML needs.
std::string readable_yaml(const model::Value& value);
/// A v1 List of them.
model::Value list_of(model::Array items);

}  // namespace holdfast::cli
