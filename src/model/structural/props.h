/// Reading a JSONSchemaProps node as it stands in a CRD. Members of a wrong type were refused when
/// the CRD was decoded and count as absent here, as does null, which Go's decoder leaves at the
/// zero value.
#pragma once

#include <holdfast/model/json.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::model::structural {

class Props {
 public:
  explicit Props(const Value& node) : node_(node.if_object()) {}

  /// False if the node is not an object at all.
  bool there() const { return node_ != nullptr; }
  const Value* get(std::string_view name) const;
  bool has(std::string_view name) const { return get(name) != nullptr; }
  std::string text(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::optional<double> number(std::string_view name) const;
  std::optional<int64_t> integer(std::string_view name) const;
  std::vector<std::string> strings(std::string_view name) const;
  /// The elements of the list there.
  std::vector<Props> list(std::string_view name) const;
  /// The members of the object there, sorted by name: Go keeps them in a map, and the server prints
  /// maps sorted.
  std::vector<std::pair<std::string, Props>> members(std::string_view name) const;
  /// The schema there, if it is an object.
  std::optional<Props> child(std::string_view name) const;
  const Object& object() const { return *node_; }

 private:
  const Object* node_;
};

inline constexpr std::string_view kPreserveUnknown = "x-kubernetes-preserve-unknown-fields";
inline constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";
inline constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";
inline constexpr std::string_view kListType = "x-kubernetes-list-type";
inline constexpr std::string_view kListMapKeys = "x-kubernetes-list-map-keys";
inline constexpr std::string_view kMapType = "x-kubernetes-map-type";
inline constexpr std::string_view kValidations = "x-kubernetes-validations";

}  // namespace holdfast::model::structural
