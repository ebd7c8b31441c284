// Server-side apply on objects whose managedFields any client may have written: [live, object].
// Tracking a write that changes nothing must change nothing, however wild the entries were before.
#include <holdfast/base/result.h>
#include <holdfast/model/apply.h>
#include <holdfast/model/kinds.h>

#include <string_view>

using namespace holdfast;
using namespace holdfast::model;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto parsed = parse_json({reinterpret_cast<const char*>(data), size});
  if (!parsed || !parsed->value.is_array() || parsed->value.get_array().size() != 2) return 0;
  const Value& live = parsed->value.get_array()[0];
  const Value& sent = parsed->value.get_array()[1];
  if (!sent.is_object() || !(live.is_object() || live.is_null())) return 0;
  const Schema& pod = *Kinds::builtin().schema({"", "v1", "Pod"});
  const Writer writer{.manager = "kubectl",
                      .api_version = "v1",
                      .subresource = "",
                      .now = WallTime(std::chrono::seconds(1))};
  Value object = sent;
  track_update(live, object, pod, writer, {"status"});
  Value again = object;
  track_update(object, again, pod, writer, {"status"});
  HF_CHECK(equal(object, again));
  for (const bool force : {false, true}) {
    auto applied = apply_config(live, sent, pod, writer, force, {"status"});
    if (force && applied) HF_CHECK(applied->is_object());
  }
  return 0;
}
