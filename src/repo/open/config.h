/// The config file, sealed but never compressed:
///
///   {"version":1|2,"id":64 hex digits,"chunker_polynomial":HEX, members of other programs}
///
/// Unknown members are kept; rustic's optional "append_only" is honoured.
#pragma once

#include <holdfast/repo/repository.h>

namespace holdfast::repo {

/// Invalid for a version that is not known; Corrupt if the polynomial would not cut.
Result<Config> parse_config(std::string json);

}  // namespace holdfast::repo
