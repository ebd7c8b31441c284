/// The real server shows some values in its errors as its own internal structs, which have no JSON
/// names: every field by its Go name, set or not.
#pragma once

#include <holdfast/model/json.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace holdfast::apiserver {

enum class Zero { Null, Text, Number, False };

struct GoField {
  std::string_view go_name;
  std::string_view name;
  Zero zero = Zero::Text;  ///< what is shown if the field is not set
};

model::Value go_struct(const model::Value& value, std::initializer_list<GoField> fields);
/// As go_struct, but null if the value is not there.
model::Value go_pointer(const model::Value& value, std::initializer_list<GoField> fields);
/// core.ObjectReference
model::Value go_reference(const model::Value& reference);

/// Lines that differ between the two in indented form, with three lines around them:
///   @@ -1,4 +1,4 @@
///    {
///   - "VolumeName": "",
///   + "VolumeName": "a",
std::string go_diff(const model::Value& before, const model::Value& after);

}  // namespace holdfast::apiserver
