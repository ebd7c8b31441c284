// Strategic merge of maps: what each member of a patch does to the member of the same name.
//
//   "$patch": "replace" | "delete"            of a map: the patch stands for the whole map, or the
//   map is emptied
//   "$retainKeys": [name…]                    of a map: members not named go; the patch may hold
//   only named ones
//   "$deleteFromPrimitiveList/NAME": [v…]     these scalars go from the list NAME
//   "$setElementOrder/NAME": [{key: v}… | v…] the order of NAME after merging
//   NAME: null                                NAME goes
//   NAME: value                               maps merge, lists merge or are replaced as their type
//   says, others are replaced
#include "patch/strategic.h"

#include <holdfast/base/text.h>
#include <holdfast/model/patch.h>

#include "typed/go_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace holdfast::model {
namespace strategic {

namespace {

std::string_view key_of(const boost::json::key_value_pair& member) {
  return {member.key().data(), member.key().size()};
}

bool equal_fold(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](unsigned char x, unsigned char y) {
           return std::tolower(x) == std::tolower(y);
         });
}

std::string_view go_kind(const Schema& schema) {
  switch (schema.go) {
    case GoType::StringMap:
      return "map";
    case GoType::Slice:
    case GoType::StringList:
    case GoType::Bytes:
      return "slice";
    case GoType::String:
      return "string";
    case GoType::Bool:
      return "bool";
    case GoType::Int32:
      return "int32";
    case GoType::Int64:
      return "int64";
    case GoType::Float64:
      return "float64";
    default:
      return "struct";
  }
}

/// The member's type, as Go's reflection finds it: by exact name, else by any case.
Result<const Schema*> member_of(const Schema& parent, std::string_view name) {
  if (go_kind(parent) != "struct")
    return failed(fmt::format(
        "merging an object in json but data type is not struct, instead is: {}", go_kind(parent)));
  if (parent.go == GoType::Struct) {
    if (const Field* field = parent.shape->find(name)) return &field->schema;
    for (const Field& field : parent.shape->fields)
      if (!field.inlined && equal_fold(field.name, name)) return &field.schema;
  }
  std::string type = go_type_name(parent);
  return failed(fmt::format("unable to find api field in struct {} for the json field {}",
                            type.substr(type.rfind('.') + 1), quoted(name)));
}

Result<ListRule> list_rule(const Schema& parent, std::string_view name) {
  const Schema* member = HF_TRY(member_of(parent, name));
  ListRule rule{member, "struct", member->patch_merge_key,
                (member->patch_strategy & kPatchMerge) != 0};
  const bool list = member->go == GoType::Slice || member->go == GoType::StringList;
  if (!list && member->go != GoType::Bytes && !member->go_pointer)
    return failed(fmt::format("expected slice or array type, but got: {}",
                              parent.go_pointer ? "ptr" : "struct"));
  if (!list) return rule;
  rule.element = member->items;
  rule.element_kind = go_kind(*member->items);
  if (rule.element_kind == "slice") return failed("unexpected slice of slice");
  return rule;
}

/// "$setElementOrder/containers" → "containers"
Result<std::string_view> target_of(std::string_view key, std::string_view prefix) {
  size_t slash = key.find('/');
  if (slash != std::string_view::npos && key.substr(0, slash) == prefix)
    return key.substr(slash + 1);
  return Error(Fault::Invalid,
               std::string(prefix == kDeleteList ? "invalid patch format of primitive list"
                                                 : kBadElementOrder));
}

Result<void> carry_out(const Value& directive, Object& original, Object patch) {
  if (directive == "replace") {
    patch.erase(kDirective);
    original = std::move(patch);
    return ok();
  }
  if (directive == "delete") {
    original.clear();
    return ok();
  }
  return bad_directive(directive, patch);
}

Result<void> retain_keys(Object& original, Object& patch) {
  auto at = patch.find(kRetainKeys);
  if (at == patch.end()) return ok();
  const Value listed = std::move(at->value());
  patch.erase(at);
  auto bad = [] { return Error(Fault::Invalid, "invalid patch format of retainKeys"); };
  if (!listed.is_array()) return bad();
  std::set<std::string_view> kept;
  for (const Value& name : listed.get_array())
    if (name.is_string()) kept.insert(view(name.get_string()));
  for (const auto& member : patch) {
    std::string_view key = key_of(member);
    if (member.value().is_null() || key.starts_with(kDeleteList) || key.starts_with(kElementOrder))
      continue;
    if (!kept.contains(key)) return bad();
  }
  Object rest;
  for (auto& member : original)
    if (kept.contains(key_of(member))) rest.emplace(member.key(), std::move(member.value()));
  original = std::move(rest);
  return ok();
}

/// The list of that name, null if there is no such member.
Result<const Array*> list_in(const Object& object, std::string_view name) {
  const Value* value = object.if_contains(name);
  if (!value) return nullptr;
  if (!value->is_array()) return bad_arg_type(kGoSlice, *value);
  return &value->get_array();
}

/// Lists that come with an order are merged first and leave the patch.
Result<void> merge_ordered_lists(Object& original, Object& patch, const Schema& schema) {
  std::vector<std::string> keys;
  for (const auto& member : patch)
    if (key_of(member).starts_with(kElementOrder)) keys.emplace_back(key_of(member));
  for (const std::string& key : keys) {
    const Value order = std::move(patch.at(key));
    patch.erase(key);
    if (!order.is_array()) return bad_arg_type(kGoSlice, order);
    const std::string name(HF_TRY(target_of(key, kElementOrder)));
    const Array* have = HF_TRY(list_in(original, name));
    const Array* given = HF_TRY(list_in(patch, name));
    const ListRule rule = HF_TRY(list_rule(schema, name));
    Array merged = HF_TRY(merge_ordered(have, given, order.get_array(), rule));
    if (!have && !given) continue;
    original[name] = std::move(merged);
    patch.erase(name);
  }
  return ok();
}

void discard_nulls(Value& value) {
  if (value.is_array())
    for (Value& element : value.get_array()) discard_nulls(element);
  if (!value.is_object()) return;
  Object kept;
  for (auto& member : value.get_object()) {
    if (member.value().is_null()) continue;
    discard_nulls(member.value());
    kept.emplace(member.key(), std::move(member.value()));
  }
  value = std::move(kept);
}

void put(Object& original, std::string_view name, Value value) {
  if (remove_directives(value))
    original.insert_or_assign(name, std::move(value));
  else
    original.erase(name);
}

Result<void> merge_member(Value& have, Value given, const Schema& schema, std::string_view name,
                          bool deleting) {
  if (have.is_array()) {
    const ListRule rule = HF_TRY(list_rule(schema, name));
    return merge_list(have.get_array(), std::move(given.get_array()), rule, deleting);
  }
  const Schema* member = HF_TRY(member_of(schema, name));
  if ((member->patch_strategy & kPatchReplace) == 0)
    return merge_map(have.get_object(), std::move(given.get_object()), *member);
  have = std::move(given);
  return ok();
}

}  // namespace

bool remove_directives(Value& value) {
  if (value.is_object()) {
    if (value.get_object().contains(kDirective)) return false;
    Object kept;
    for (auto& member : value.get_object())
      if (remove_directives(member.value())) kept.emplace(member.key(), std::move(member.value()));
    value = std::move(kept);
  } else if (value.is_array()) {
    Array kept;
    for (Value& element : value.get_array())
      if (remove_directives(element)) kept.push_back(std::move(element));
    value = std::move(kept);
  }
  return true;
}

Result<void> merge_map(Object& original, Object patch, const Schema& schema) {
  if (const Value* directive = patch.if_contains(kDirective)) {
    const Value what = *directive;
    return carry_out(what, original, std::move(patch));
  }
  HF_TRY(retain_keys(original, patch));
  HF_TRY(merge_ordered_lists(original, patch, schema));
  for (auto& member : patch) {
    std::string_view name = key_of(member);
    const bool deleting = name.starts_with(kDeleteList);
    if (deleting) name = HF_TRY(target_of(name, kDeleteList));
    Value& given = member.value();
    if (given.is_null()) {
      original.erase(name);
      continue;
    }
    Value* have = original.if_contains(name);
    if (!have || have->kind() != given.kind()) {
      if (deleting) continue;
      discard_nulls(given);
      put(original, name, std::move(given));
    } else if (have->is_structured()) {
      HF_TRY(merge_member(*have, std::move(given), schema, name, deleting));
    } else {
      put(original, name, std::move(given));
    }
  }
  return ok();
}

Error failed(std::string text) { return Error(Fault::Internal, std::move(text)); }

Error bad_arg_type(std::string_view expected, const Value& actual) {
  std::string_view got;
  switch (actual.kind()) {
    case boost::json::kind::object:
      got = kGoMap;
      break;
    case boost::json::kind::array:
      got = kGoSlice;
      break;
    case boost::json::kind::string:
      got = "string";
      break;
    case boost::json::kind::bool_:
      got = "bool";
      break;
    case boost::json::kind::int64:
      got = "int64";
      break;
    case boost::json::kind::null:
      got = "%!s(<nil>)";
      break;
    default:
      got = "float64";
  }
  return failed(fmt::format("expected a {}, but received a {}", expected, got));
}

Error no_merge_key(const Value& map, std::string_view merge_key) {
  return failed(
      fmt::format("map: {} does not contain declared merge key: {}", go_print(map), merge_key));
}

Error bad_directive(const Value& directive, const Value& map) {
  return failed(
      fmt::format("unknown patch type: {} in map: {}", go_print(directive), go_print(map)));
}

}  // namespace strategic

Result<Value> apply_strategic_patch(Value object, const Value& patch, const Schema& schema) {
  if (schema.go != GoType::Struct)
    return Error(Fault::Invalid, "strategic merge patch format is not supported");
  if (patch.is_null()) return object;
  if (!patch.is_object()) {
    std::string_view word = patch.is_array()    ? "array"
                            : patch.is_string() ? "string"
                            : patch.is_bool()   ? "bool"
                                                : "number";
    return Error(Fault::Invalid, fmt::format("json: cannot unmarshal {} into Go value of type {}",
                                             word, strategic::kGoMap));
  }
  Object merged = object.is_object() ? std::move(object.get_object()) : Object();
  HF_TRY(strategic::merge_map(merged, patch.get_object(), schema));
  return Value(std::move(merged));
}

}  // namespace holdfast::model
