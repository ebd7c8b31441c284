/// Checking a value against a schema the way kube-openapi's validator does, quirks included: which
/// checks run on which kind of value, in which order, and how their results are counted.
#pragma once

#include <holdfast/model/schema.h>

#include "structural/outcome.h"

#include <string>

namespace holdfast::model::structural {

class Validator {
 public:
  /// `root`: where the value stands in what the user sent; "" for whole objects.
  explicit Validator(std::string root) : say_(std::move(root)) {}

  /// `old` is the value this one replaces, or null; parts that did not change do not fail.
  Outcome check(const Value& value, const Schema& schema, const std::string& path,
                const Value* old) const;

 private:
  Outcome check_child(const Value& value, const Schema& schema, const std::string& path,
                      const Value* old) const;
  Outcome check_type(const Value& value, const Schema& schema, const std::string& path) const;
  Outcome check_junctors(const Value& value, const Limits& limits, const std::string& path,
                         const Value* old) const;
  Outcome check_any_of(const Value& value, const Limits& limits, const std::string& path,
                       const Value* old) const;
  Outcome check_one_of(const Value& value, const Limits& limits, const std::string& path,
                       const Value* old) const;
  Outcome check_all_of(const Value& value, const Limits& limits, const std::string& path,
                       const Value* old) const;
  Outcome check_string(std::string_view text, const Limits& limits, const std::string& path) const;
  Outcome check_number(const Value& value, const Limits* limits, const std::string& path) const;
  Outcome check_list(const Array& list, const Schema& schema, const std::string& path,
                     const Value* old) const;
  Outcome check_object(const Object& object, const Schema& schema, const std::string& path,
                       const Value* old) const;
  Outcome check_enum(const Value& value, const Schema& schema, const std::string& path) const;

  Sentences say_;
};

/// The element of `old` that has the same keys as `item`; only lists of type map can tell.
const Value* counterpart(const Value& item, const Schema& schema, const Value* old);

bool has_format(std::string_view text, std::string_view format);

/// No two elements of sets and maps alike.
void check_list_types(const Value& object, const Schema& schema, const std::string& path,
                      FieldErrors& errors);
/// apiVersion, kind and metadata of embedded resources; of `object` itself only if `self`.
void check_embedded(const Value& object, const Schema& schema, const std::string& path, bool self,
                    FieldErrors& errors);

/// Go's %v of a float64.
std::string go_number(double number);

}  // namespace holdfast::model::structural
