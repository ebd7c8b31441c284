/// Specs that are read once: the spec is recorded in the status when work on the object begins, and
/// later edits of it are ignored.
///
/// A kind says so by a base of its spec, `T::Asked`, with the fields that are read once, each
/// `immutable`, and by `std::optional<Asked> status.asked`. A server with the kind's definition
/// refuses such an edit; what is here is for one whose definition is older, or lost its rules.
#pragma once

#include <holdfast/base/text.h>
#include <holdfast/control/report.h>
#include <holdfast/model/fields.h>

#include <fmt/format.h>

#include <string>
#include <string_view>
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

/// Brings the condition SpecChanged up to date, with an event: an edit is not obeyed, and whoever
/// made it is told so. True if that is news. `begun` says since when: "the action began".
template <class T>
bool tell_edits(Report<T>& report, const std::vector<std::string>& edited, std::string_view begun) {
  constexpr std::string_view kType = "SpecChanged";
  const model::Condition* told = find_condition(report.status().conditions, kType);
  if (edited.empty()) {
    if (told != nullptr) report.drop_condition(kType);
    return told != nullptr;
  }
  const std::string message = fmt::format(
      "{} changed after {}, and is ignored (status.asked has the spec in use): create a new {}",
      join(edited, ", "), begun, T::kKind.kind);
  if (told != nullptr && told->message == message) return false;
  report.condition(kType, true, "SpecCannotChange", message)
      .note(true, "SpecCannotChange", message);
  return true;
}

}  // namespace holdfast::control
