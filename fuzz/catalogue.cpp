// The catalogue of a group's backup, as a bucket holds it. Whatever parses has all that a restore
// goes by, and says the same when it is written and read again.
#include <holdfast/base/result.h>
#include <holdfast/protect/catalogue.h>

using namespace holdfast;
using namespace holdfast::protect;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto read = parse_catalogue({reinterpret_cast<const char*>(data), size});
  if (!read) return 0;
  for (const ClaimRecord& claim : read->claims)
    HF_CHECK(!claim.name.empty() && !claim.size.empty() && !claim.snapshot_id.empty());
  model::Value value;
  model::field_type<Catalogue>().encode(&*read, value);
  const auto again = parse_catalogue(model::to_json(value));
  HF_CHECK(again && again->claims.size() == read->claims.size() && again->subject == read->subject);
  return 0;
}
