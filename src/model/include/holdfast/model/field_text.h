/// Structs with `fields` that are no resources, as JSON text: records on disk, messages between our
/// own processes.
#pragma once

#include <holdfast/model/fields.h>

#include <string>
#include <string_view>

namespace holdfast::model {

template <class T>
std::string fields_to_json(const T& record) {
  Value whole = Object();
  field_types::encode_part(whole, "it", field_type<T>(), &record);
  const Value* part = find(whole, {"it"});
  return part != nullptr ? to_json(*part) : "{}";
}

/// Invalid names the field that is not what the type says.
template <class T>
Result<T> fields_from_json(std::string_view text) {
  Parsed parsed = HF_TRY(parse_json(text));
  const Value whole = Object{{"it", std::move(parsed.value)}};
  T record;
  HF_TRY(field_types::decode_part(whole, "it", field_type<T>(), &record));
  return record;
}

}  // namespace holdfast::model
