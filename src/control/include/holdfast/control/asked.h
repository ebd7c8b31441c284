/// Specs that are read once: the spec is recorded in the status when work on the object begins, and
/// later edits of it are ignored.
///
/// A kind says so by a base of its spec, `T::Asked`, with the fields that are read once, each
/// `immutable`, and by `std::optional<Asked> status.asked`. A server with the kind's definition
/// refuses such an edit; what is here is for one whose definition is older, or lost its rules.
#pragma once

#include <holdfast/model/fields.h>

#include <string>
#include <vector>

namespace holdfast::control {

/// Fields of two values of one type that are not the same, by name.
std::vector<std::string> differing_fields(const model::FieldType& type, const void* was,
                                          const void* is);

/// Puts the spec back to what was asked for; the fields that had been edited since, such as
/// "spec.action".
template <class T>
std::vector<std::string> keep_to_asked(T& object) {
  using Asked = typename T::Asked;
  if (!object.status.asked) return {};
  Asked& spec = object.spec;
  std::vector<std::string> out =
      differing_fields(model::field_type<Asked>(), &*object.status.asked, &spec);
  for (std::string& each : out) each.insert(0, "spec.");
  spec = *object.status.asked;
  return out;
}

}  // namespace holdfast::control
