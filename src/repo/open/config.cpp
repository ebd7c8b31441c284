#include "open/config.h"

#include <holdfast/base/walls.h>

#include "chunk/polynomial.h"
#include "codec/json_reader.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast::repo {

Result<Config> parse_config(std::string json) {
  Config config;
  config.version = 0;
  Result<void> whole = read_json(json, [&config](JsonValue root) {
    return root.members([&config](std::string_view name, JsonValue value) -> Result<void> {
      if (name == "version") config.version = int(HF_TRY(value.number()));
      if (name == "id") config.id = HF_TRY(value.text());
      if (name == "append_only") config.append_only = HF_TRY(value.boolean());
      if (name != "chunker_polynomial") return ok();
      const std::string text = HF_TRY(value.text());
      const auto read =
          std::from_chars(text.data(), text.data() + text.size(), config.polynomial, 16);
      if (read.ec != std::errc() || read.ptr != text.data() + text.size())
        return Error(Fault::Corrupt, fmt::format("chunker_polynomial \"{}\" is no number", text));
      return ok();
    });
  });
  if (!whole) return whole.take_error();
  if (config.version < 1 || config.version > 2)
    return Error(
        Fault::Invalid,
        fmt::format("the repository has version {}, this build knows 1 and 2", config.version));
  if (degree(config.polynomial) != kDegree || !irreducible(config.polynomial))
    return Error(Fault::Corrupt,
                 fmt::format("the chunker's polynomial {:x} is not irreducible of degree {}",
                             config.polynomial, kDegree));
  // It names folders of this machine.
  if (!Id::from_hex(config.id) && wall_stands("id of a repository"))
    return Error(Fault::Corrupt, "its id is not 64 hex digits");
  config.text = std::move(json);
  return config;
}

}  // namespace holdfast::repo
