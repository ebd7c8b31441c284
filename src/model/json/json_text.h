/// The two forms of JSON text that the room's files share: how Go prints a double and how it quotes
/// a string.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::model {

/// Shortest digits that read back as the same double, laid out by Go's encoding/json: an exponent
/// below 1e-6 and from 1e21 on (`1e+21`, `1e-7`). `small` is the power of ten below which it
/// starts; %v has -4, pads it and also uses it from 1e+06 on.
void append_double(std::string& out, double value, int small = -6, bool pad_exponent = false);
/// With quotes; <, >, & and the two line separators are escaped, as Go does for pages that embed
/// JSON.
void append_quoted_json(std::string& out, std::string_view text);

}  // namespace holdfast::model
