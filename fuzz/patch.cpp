// A patch applied to an object. Input: one letter (j, m or s: the patch type), then two lines:
// object, patch. A patch that is refused leaves nothing behind; a merge patch made from two
// objects turns the one into the other.
#include <holdfast/base/result.h>
#include <holdfast/model/kinds.h>
#include <holdfast/model/patch.h>

#include <string_view>

using namespace holdfast;
using namespace holdfast::model;

namespace {

void check_merge(const Value& object, const Value& patch) {
  const Value result = apply_merge_patch(object, patch);
  HF_CHECK(equal(apply_merge_patch(result, patch), result));
  // Nulls mean removal in a patch, so only an object without any can be reached by one.
  const Value target = apply_merge_patch(Object{}, patch);
  HF_CHECK(equal(apply_merge_patch(object, make_merge_patch(object, target)), target));
}

void check_json_patch(const Value& object, const Value& patch) {
  const std::string before = to_json(object);
  auto result = apply_json_patch(object, patch);
  HF_CHECK(to_json(object) == before);
  if (result) HF_CHECK(parse_json(to_json(*result)));
}

void check_strategic(const Value& object, const Value& patch) {
  static const Schema* schema = Kinds::builtin().schema({"apps", "v1", "Deployment"});
  HF_CHECK(schema);
  auto result = apply_strategic_patch(object, patch, *schema);
  if (result) HF_CHECK(parse_json(to_json(*result)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  if (input.empty() || line == std::string_view::npos) return 0;
  auto object = parse_json(input.substr(1, line - 1));
  auto patch = parse_json(input.substr(line + 1));
  if (!object || !patch) return 0;
  switch (input[0]) {
    case 'j':
      check_json_patch(object->value, patch->value);
      break;
    case 'm':
      check_merge(object->value, patch->value);
      break;
    default:
      check_strategic(object->value, patch->value);
  }
  return 0;
}
