// A request body on its way in: parsed, decoded by its built-in type or pruned, defaulted and
// validated by a custom one. What came out once must come out the same when it goes in again:
// otherwise a stored object would change by being read.
#include <holdfast/base/result.h>
#include <holdfast/model/kinds.h>
#include <holdfast/model/structural.h>
#include <holdfast/model/typed.h>

#include <string_view>

using namespace holdfast;
using namespace holdfast::model;

namespace {

constexpr std::string_view kCustomSchema = R"({"type":"object","properties":{
  "spec":{"type":"object","required":["size"],"properties":{
    "size":{"type":"integer","minimum":1,"maximum":9,"default":3},
    "name":{"type":"string","maxLength":10,"pattern":"^[a-z]*$"},
    "port":{"x-kubernetes-int-or-string":true},
    "any":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
    "tags":{"type":"array","items":{"type":"string"},"x-kubernetes-list-type":"set"},
    "parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["id"],
      "items":{"type":"object","required":["id"],"properties":{
        "id":{"type":"string"},"on":{"type":"boolean","default":true}}}},
    "limits":{"type":"object","additionalProperties":{"type":"number"}},
    "choice":{"type":"string","enum":["a","b"],"nullable":true}}},
  "status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}})";

const StructuralSchema& custom_schema() {
  static const StructuralSchema schema = [] {
    FieldErrors errors;
    StructuralSchema built =
        build_structural(parse_json(kCustomSchema)->value, "openAPIV3Schema", errors);
    HF_CHECK(errors.empty());
    return built;
  }();
  return schema;
}

void check_printing(const Value& value) {
  const std::string text = to_json(value);
  auto again = parse_json(text);
  HF_CHECK(again);
  HF_CHECK(to_json(again->value) == text);
}

void check_typed(Value object) {
  auto gvk = gvk_of(object);
  if (!gvk) return;
  const Schema* schema = Kinds::builtin().schema(*gvk);
  if (!schema || !decode_typed(object, *schema)) return;
  const std::string once = to_json(object);
  auto again = decode_typed(object, *schema);
  HF_CHECK(again);
  HF_CHECK(again->unknown.empty());
  HF_CHECK(to_json(object) == once);
}

void check_custom(Value object) {
  if (!object.is_object()) return;
  const Schema& schema = custom_schema().root;
  prune(object, schema);
  HF_CHECK(prune(object, schema).empty());
  set_defaults(object, schema);
  const std::string once = to_json(object);
  set_defaults(object, schema);
  HF_CHECK(to_json(object) == once);
  for (const FieldError& error : validate(object, schema)) HF_CHECK(!error.text().empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto parsed = parse_json({reinterpret_cast<const char*>(data), size});
  if (!parsed) return 0;
  check_printing(parsed->value);
  check_typed(parsed->value);
  check_custom(parsed->value);
  return 0;
}
