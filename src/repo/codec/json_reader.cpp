#include "codec/json_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

namespace holdfast::repo {
namespace {

using simdjson::ondemand::value;

Error bad(std::string_view what, simdjson::error_code code) {
  return Error(Fault::Corrupt, fmt::format("{}: {}", what, simdjson::error_message(code)));
}

value& of(void* held) { return *static_cast<value*>(held); }

bool is_null(value& what) {
  const auto answer = what.is_null();
  return answer.error() == simdjson::SUCCESS && answer.value_unsafe();
}

}  // namespace

Result<std::string> JsonValue::text() {
  std::string_view out;
  if (const auto code = of(value_).get_string().get(out)) return bad("read a string", code);
  return std::string(out);
}

Result<uint64_t> JsonValue::number() {
  uint64_t out = 0;
  if (const auto code = of(value_).get_uint64().get(out)) return bad("read a number", code);
  return out;
}

Result<bool> JsonValue::boolean() {
  bool out = false;
  if (const auto code = of(value_).get_bool().get(out)) return bad("read a truth value", code);
  return out;
}

Result<std::string> JsonValue::raw() {
  std::string_view out;
  if (const auto code = simdjson::to_json_string(of(value_)).get(out))
    return bad("read a value", code);
  return std::string(out);
}

Result<void> JsonValue::each(const std::function<Result<void>(JsonValue)>& item) {
  simdjson::ondemand::array array;
  if (const auto code = of(value_).get_array().get(array)) return bad("read a list", code);
  for (auto element : array) {
    value inner;
    if (const auto code = element.get(inner)) return bad("read a list", code);
    HF_TRY(item(JsonValue(&inner)));
  }
  return ok();
}

Result<void> JsonValue::members(
    const std::function<Result<void>(std::string_view, JsonValue)>& member) {
  simdjson::ondemand::object object;
  if (const auto code = of(value_).get_object().get(object)) return bad("read an object", code);
  for (auto entry : object) {
    simdjson::ondemand::field field;
    if (const auto code = std::move(entry).get(field)) return bad("read an object", code);
    std::string_view key;
    if (const auto code = field.unescaped_key().get(key)) return bad("read a key", code);
    value inner = field.value();
    if (!is_null(inner)) HF_TRY(member(key, JsonValue(&inner)));
  }
  return ok();
}

Result<void> read_json(std::string_view text, const std::function<Result<void>(JsonValue)>& root) {
  thread_local simdjson::ondemand::parser parser;
  const simdjson::padded_string padded(text);
  simdjson::ondemand::document document;
  if (const auto code = parser.iterate(padded).get(document)) return bad("read JSON", code);
  value inner;
  if (const auto code = document.get_value().get(inner)) return bad("read JSON", code);
  HF_TRY(root(JsonValue(&inner)));
  if (document.current_location().error() == simdjson::SUCCESS)
    return Error(Fault::Corrupt, "read JSON: something stands after its end");
  return ok();
}

}  // namespace holdfast::repo
