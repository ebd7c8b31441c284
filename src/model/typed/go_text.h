/// Texts that Go's decoder reads and the sentences it complains with: base64, RFC 3339 and the
/// names of types.
#pragma once

#include <holdfast/model/schema.h>

#include <string>
#include <string_view>

namespace holdfast::model {

/// Go's base64.StdEncoding: line breaks are skipped, `illegal base64 data at input byte 3`
/// otherwise.
Result<std::string> go_base64(std::string_view text);

/// A point in time, as Go's time.Time holds it.
struct GoTime {
  int64_t seconds = 0;  ///< since 1970 in UTC
  int32_t nanos = 0;
};
/// time.Parse with the layout of metav1.Time or MicroTime; the error is Go's whole sentence.
Result<GoTime> go_time(std::string_view text, bool micro);
/// As metav1.Time and MicroTime print it, in UTC.
std::string go_time_text(const GoTime& time, bool micro);
/// Go's zero time, which prints as null.
inline constexpr int64_t kZeroTimeSeconds = -62135596800;

/// `int32`, `v1.PullPolicy`, `[]v1.Container`, `map[string]string`: what Go's reflection calls the
/// type.
std::string go_type_name(const Schema& schema);
/// `PodSpec`
std::string_view go_struct_name(const Shape& shape);
/// The literal that the client most likely wrote for a number; exact for integers and fractions.
std::string number_literal(const Value& number);
/// Go's %v of decoded JSON: `map[a:1 b:[x <nil>]]`, members by key.
std::string go_print(const Value& value);

}  // namespace holdfast::model
