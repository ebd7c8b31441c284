// A protobuf body of a built-in kind. What decodes and can be encoded has one encoding: decoding
// and encoding it once more changes no byte. (Values are not compared: what is empty on the wire is
// left out.)
#include <holdfast/base/result.h>
#include <holdfast/model/kinds.h>
#include <holdfast/model/typed.h>

#include <string_view>

using namespace holdfast;
using namespace holdfast::model;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto envelope = open_protobuf({reinterpret_cast<const char*>(data), size});
  if (!envelope) return 0;
  auto version = GroupVersion::parse(envelope->api_version);
  if (!version) return 0;
  const BuiltinKind* kind =
      Kinds::builtin().find({version->group, version->version, envelope->kind});
  if (!kind) return 0;
  auto value = decode_protobuf(envelope->raw, *kind->shape);
  if (!value) return 0;
  auto bytes = encode_protobuf(*value, *kind->shape);
  if (!bytes) return 0;  // a text that is no quantity or time: decoding by type refuses it later
  auto again = decode_protobuf(*bytes, *kind->shape);
  HF_CHECK(again);
  auto twice = encode_protobuf(*again, *kind->shape);
  HF_CHECK(twice);
  HF_CHECK(*twice == *bytes);
  return 0;
}
