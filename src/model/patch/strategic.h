/// Strategic merge: the walk over maps (strategic.cpp) and over lists (strategic_lists.cpp).
#pragma once

#include <holdfast/model/schema.h>

#include <string>
#include <string_view>
#include <unordered_map>

namespace holdfast::model::strategic {

inline constexpr std::string_view kDirective = "$patch";
inline constexpr std::string_view kRetainKeys = "$retainKeys";
inline constexpr std::string_view kDeleteList = "$deleteFromPrimitiveList";
inline constexpr std::string_view kElementOrder = "$setElementOrder";

/// How a list member merges: the type of its elements and the field's directives.
struct ListRule {
  const Schema* element = nullptr;
  std::string_view element_kind;  ///< Go's reflect.Kind, for errors
  std::string_view merge_key;
  bool merges = false;
};

/// `original` becomes the merged map. The patch is used up.
Result<void> merge_map(Object& original, Object patch, const Schema& schema);
/// `original` becomes the merged list. `deleting`: the patch names scalars to take away.
Result<void> merge_list(Array& original, Array patch, const ListRule& rule, bool deleting);
/// Carries out `$setElementOrder/name`: merges `patch`, if there is one, then orders what came out.
Result<Array> merge_ordered(const Array* original, const Array* patch, const Array& order,
                            const ListRule& rule);

/// Takes out elements and members that hold a directive; false if the value itself does.
bool remove_directives(Value& value);

/// Where elements stand in a list, by merge key's value or, with no key, by their own.
class Positions {
 public:
  Positions(const Array& list, std::string_view merge_key);
  /// The first that has the same key as `element`, or -1.
  int64_t of(const Value& element) const;
  /// The index of the first element that is no map, where a search by key would end in an error; or
  /// -1.
  int64_t first_bad() const { return first_bad_; }
  void add(const Value& element, int64_t at);

 private:
  std::string_view merge_key_;
  std::unordered_map<std::string, int64_t> at_;
  int64_t first_bad_ = -1;
};

Error bad_arg_type(std::string_view expected, const Value& actual);
Error no_merge_key(const Value& map, std::string_view merge_key);
Error bad_directive(const Value& directive, const Value& map);
/// A failure that the real server answers with 500.
Error failed(std::string text);

inline constexpr std::string_view kGoMap = "map[string]interface {}";
inline constexpr std::string_view kGoSlice = "[]interface {}";
inline constexpr std::string_view kBadElementOrder = "invalid patch format of setElementOrder list";

}  // namespace holdfast::model::strategic
