/// The two forms of JSON text that the room's files share: how Go prints a double and how it quotes
/// a string.
#pragma once

#include <string>
#include <string_view>

namespace holdfast::model {

enum class DoubleForm {
  Json,  ///< encoding/json: an exponent below 1e-6 and from 1e21 on, `1e+21`, `1e-7`
  Text,  ///< %v: an exponent below 1e-4 and from 1e6 on, two digits at least, `1e+06`, `1e-05`
};

/// The shortest digits that read back as the same double, laid out as Go does.
void append_double(std::string& out, double value, DoubleForm form = DoubleForm::Json);
/// With quotes; <, >, & and the two line separators are escaped, as Go does for pages that embed
/// JSON.
void append_quoted_json(std::string& out, std::string_view text);

}  // namespace holdfast::model
