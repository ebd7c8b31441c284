/// JSON text to values and back, the way Kubernetes reads and writes it.
///
/// Values are boost.json's DOM; parsing and printing are ours, because boost's own number code
/// loses data, prints 1.5 as 1.5E0 and drops duplicate keys in silence. Integers stay integers
/// (int64, uint64 above it), other numbers are doubles printed in Go's shortest form. Error texts
/// follow Go's encoding/json, since clients and tests compare them.
#pragma once

#include <holdfast/base/result.h>

#include <boost/json/value.hpp>

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

using Value = boost::json::value;
using Object = boost::json::object;
using Array = boost::json::array;

/// Deeper nesting is refused ("exceeded max depth"): every recursive walk of ours relies on this
/// bound.
inline constexpr size_t kMaxDepth = 1000;

struct Parsed {
  Value value;
  /// Paths of keys that stood twice in one object, as Go's strict decoder names them:
  /// `spec.replicas`, `spec.containers[0].name`. The last one won. At most 100 are kept.
  std::vector<std::string> duplicates;
};

/// Whole text, exactly one value; Fault::Invalid otherwise. Bytes in a string that are not UTF-8
/// become U+FFFD, as the real server has it, so every string of a Value is UTF-8.
Result<Parsed> parse_json(std::string_view text);
/// YAML 1.1 with the JSON typing rules of Kubernetes (`no`, `0x10`, null keys …); JSON is YAML too.
/// One document.
Result<Parsed> parse_yaml(std::string_view text);

/// Minified, members in their order.
std::string to_json(const Value& value);
void append_json(std::string& out, const Value& value);

/// The member at a path of names, or null. Never throws: a missing or non-object step is "not
/// there".
const Value* find(const Value& root, std::initializer_list<std::string_view> path);
Value* find(Value& root, std::initializer_list<std::string_view> path);
/// The string there, or "" (also when it is not a string).
std::string_view string_at(const Value& root, std::initializer_list<std::string_view> path);
/// The integer there (a double with no fraction counts), or `otherwise`.
int64_t int_at(const Value& root, std::initializer_list<std::string_view> path, int64_t otherwise);
bool bool_at(const Value& root, std::initializer_list<std::string_view> path, bool otherwise);
/// The array or object there, or an empty one.
const Array& array_at(const Value& root, std::initializer_list<std::string_view> path);
const Object& object_at(const Value& root, std::initializer_list<std::string_view> path);
/// Makes the path of objects and returns its end; a step that holds something else is replaced.
Object& ensure_object(Value& root, std::initializer_list<std::string_view> path);
/// Removes the member, keeping the order of the others. Nothing there: nothing happens.
void erase(Value& root, std::initializer_list<std::string_view> path);

/// Same JSON value; 1 and 1.0 are equal, member order does not matter.
bool equal(const Value& a, const Value& b);

inline std::string_view view(const boost::json::string& text) { return {text.data(), text.size()}; }

}  // namespace holdfast::model
