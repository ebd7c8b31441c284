/// JSONPath as CRDs use it: printer columns, the paths of the scale subresource, selectable fields.
///
///   .spec.replicas                                  members
///   .metadata.annotations.example\.com/x            a dot inside a name is escaped
///   .status.conditions[?(@.type=="Ready")].status   elements for which a comparison holds
///   .spec.ports[0]  [-1]  [1:3]  [*]                elements by index
///   ..name                                          at any depth
///
/// The dialect is client-go's (util/jsonpath) less `range`.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>
#include <holdfast/model/json.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::apiserver {

class JsonPath {
 public:
  /// One step of a path; the forms are private to json_path.cpp.
  struct Step;
  using Steps = std::vector<Step>;

  /// Without the braces that kubectl puts around.
  static Result<JsonPath> parse(std::string_view text);

  /// What the path leads to; pointers into `root` or into this. Members that are not there give
  /// nothing; an index out of bounds or a filter on what is no list is Invalid.
  Result<std::vector<const model::Value*>> find(const model::Value& root) const;

 private:
  explicit JsonPath(std::shared_ptr<const Steps> steps) : steps_(std::move(steps)) {}
  std::shared_ptr<const Steps> steps_;
};

/// The cell of a printer column: the first value found, as `type` (string, integer, number,
/// boolean, date) shows it; null if there is nothing to show.
model::Value column_cell(const JsonPath& path, std::string_view type, const model::Value& object,
                         WallTime now);

/// The names along a path of members only, ".spec.replicas" = {"spec", "replicas"}: how the scale
/// subresource and selectable fields read theirs.
std::vector<std::string> simple_path(std::string_view text);
/// The value there, or null.
const model::Value* find_simple(const model::Value& object, std::string_view path);
/// What a field selector compares: strings as they are, integers and booleans printed, "" if
/// absent.
std::string selectable_value(const model::Value& object, std::string_view path);

}  // namespace holdfast::apiserver
