#include "structural/outcome.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model::structural {

void Outcome::add(Issue issue) {
  const bool known = std::any_of(issues.begin(), issues.end(), [&](const Issue& other) {
    return other.sentence == issue.sentence;
  });
  if (!known) issues.push_back(std::move(issue));
}

void Outcome::merge(Outcome other) {
  for (Issue& issue : other.issues) add(std::move(issue));
  matches += other.matches;
}

std::string Sentences::place(const std::string& path) const {
  // Members of the root are called ".spec" where the parent's path is empty.
  const std::string_view name =
      path.starts_with('.') ? std::string_view(path).substr(1) : std::string_view(path);
  if (!root_.empty()) return name.empty() ? root_ : child(root_, name);
  return name.empty() ? "<nil>" : std::string(name);
}

Issue Sentences::invalid(const std::string& path, Value value, const std::string& sentence) const {
  std::string full = path + " in body " + sentence;
  return {invalid_field(place(path), std::move(value), full), full};
}

Issue Sentences::wrong_type(const std::string& path, const std::string& expected,
                            const std::string& found) const {
  std::string full =
      fmt::format("{} in body must be of type {}: {}", path, expected, quoted(found));
  return {type_invalid_field(place(path), Value(found), full), full};
}

Issue Sentences::required(const std::string& path) const {
  return {required_field(place(path), ""), path + " in body is required"};
}

Issue Sentences::too_long(const std::string& path, int64_t max) const {
  return {too_long_field(place(path), max),
          fmt::format("{} in body should be at most {} chars long", path, max)};
}

Issue Sentences::too_many(const std::string& path, int64_t actual, int64_t max,
                          const char* noun) const {
  return {too_many_field(place(path), actual, max),
          fmt::format("{} in body should have at most {} {}", path, max, noun)};
}

Issue Sentences::not_in(const std::string& path, const Value& value,
                        const std::vector<Value>& valid) const {
  std::vector<std::string> names;
  names.reserve(valid.size());
  for (const Value& option : valid)
    names.push_back(option.is_string() ? std::string(view(option.get_string())) : to_json(option));
  return {unsupported_field(place(path), value, names),
          fmt::format("{} in body should be one of [{}]", path, join(names, " "))};
}

Issue Sentences::forbidden_property(const std::string& path, const std::string& name) const {
  std::string full = fmt::format("{}.{} in body is a forbidden property", path, name);
  return {invalid_field(place(path), Value(name), full), full};
}

Issue Sentences::junctor(const std::string& path, const std::string& sentence) const {
  std::string full = quoted(path) + " " + sentence;
  return {invalid_field(root_.empty() ? "<nil>" : root_, Value(""), full), full};
}

}  // namespace holdfast::model::structural
