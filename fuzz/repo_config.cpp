// The config of a repository: what is accepted has a version and a polynomial that work, and an id
// that is fit for the name of a folder.
#include <holdfast/base/result.h>

#include "chunk/polynomial.h"
#include "open/config.h"

using namespace holdfast;
using namespace holdfast::repo;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto config = parse_config(std::string(reinterpret_cast<const char*>(data), size));
  if (!config) return 0;
  HF_CHECK(config->version == 1 || config->version == 2);
  HF_CHECK(irreducible(config->polynomial));
  HF_CHECK(Id::from_hex(config->id).has_value());
  return 0;
}
