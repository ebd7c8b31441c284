/// Label and field selectors: `a=b,c!=d,e in (x,y),!f`.
#pragma once

#include <holdfast/model/object.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

class LabelSelector {
 public:
  enum class Op { In, NotIn, Exists, DoesNotExist, GreaterThan, LessThan };
  struct Requirement {
    std::string key;
    Op op;
    std::vector<std::string> values;  ///< sorted
    bool exact = false;               ///< said with = or !=, so printed with it
  };

  LabelSelector() = default;  ///< matches everything
  /// The query-string form. Errors in the words of apimachinery/labels ("unable to parse
  /// requirement: …").
  static Result<LabelSelector> parse(std::string_view text);
  /// The object form: {matchLabels, matchExpressions}. An empty object matches everything, null
  /// matches nothing.
  static Result<LabelSelector> from_object(const Value& selector);
  bool matches(const Labels& labels) const;
  /// True if it matches everything.
  bool empty() const { return requirements_.empty() && !nothing_; }
  /// Canonical text, keys sorted.
  std::string text() const;
  const std::vector<Requirement>& requirements() const { return requirements_; }

 private:
  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

class FieldSelector {
 public:
  struct Term {
    std::string field;
    bool equal;
    std::string value;
  };
  /// `metadata.name=x,spec.nodeName!=y`; `\,`, `\=` and `\\` escape. Error: `invalid field
  /// selector: …` as in apimachinery.
  static Result<FieldSelector> parse(std::string_view text);
  bool empty() const { return terms_.empty(); }
  const std::vector<Term>& terms() const { return terms_; }
  /// `value_of` gives the object's value of a field, "" if unset.
  bool matches(const std::function<std::string(std::string_view field)>& value_of) const;

 private:
  std::vector<Term> terms_;
};

}  // namespace holdfast::model
