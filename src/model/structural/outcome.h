/// Outcome of validating one value against one schema. The count of passed checks decides whose
/// errors are shown when no branch of an anyOf or oneOf fits: those of the branch that came
/// closest.
#pragma once

#include <holdfast/model/field_error.h>

#include <string>
#include <vector>

namespace holdfast::model::structural {

struct Issue {
  FieldError error;
  std::string sentence;  ///< `spec.a in body is required`; two issues with one sentence are one
};

struct Outcome {
  std::vector<Issue> issues;
  int matches = 0;

  bool valid() const { return issues.empty(); }
  void add(Issue issue);
  void merge(Outcome other);
};

/// Makes issues; knows where the checked value stands ("" for whole objects).
class Sentences {
 public:
  explicit Sentences(std::string root) : root_(std::move(root)) {}

  /// `path in body SENTENCE`, with the value shown.
  Issue invalid(const std::string& path, Value value, const std::string& sentence) const;
  /// `path in body must be of type EXPECTED: "FOUND"`
  Issue wrong_type(const std::string& path, const std::string& expected,
                   const std::string& found) const;
  Issue required(const std::string& path) const;
  Issue too_long(const std::string& path, int64_t max) const;
  /// `noun` is what there is too much of: items, properties
  Issue too_many(const std::string& path, int64_t actual, int64_t max, const char* noun) const;
  Issue not_in(const std::string& path, const Value& value, const std::vector<Value>& valid) const;
  Issue forbidden_property(const std::string& path, const std::string& name) const;
  /// A failed junctor: the real server shows it without a field.
  Issue junctor(const std::string& path, const std::string& sentence) const;

 private:
  std::string place(const std::string& path) const;
  std::string root_;
};

}  // namespace holdfast::model::structural
