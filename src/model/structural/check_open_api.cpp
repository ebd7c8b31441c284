// Checks of an openAPIV3Schema that apiextensions makes before those of structural schemas:
// keywords that are forbidden, values that make no sense.
#include <holdfast/base/text.h>

#include "structural/rules.h"

#include <algorithm>

namespace holdfast::model::structural {
namespace {

const std::vector<std::string> kTypes{"array", "boolean", "integer", "number", "object", "string"};
const std::vector<std::string> kReasons{"FieldValueDuplicate", "FieldValueForbidden",
                                        "FieldValueInvalid", "FieldValueRequired"};

/// What is inherited on the way down.
struct Surroundings {
  bool defaults_allowed = true;
  std::string defaults_reason;
  bool inside_metadata = false;
};

bool has_newline(std::string_view text) { return text.find_first_of("\n\r") != text.npos; }

Value strings_value(const std::vector<std::string>& items) {
  Array out;
  for (const std::string& item : items) out.emplace_back(item);
  return out;
}

class Checker {
 public:
  explicit Checker(FieldErrors& errors) : errors_(errors) {}

  void node(const Props& node, const std::string& path, const Surroundings& around, bool root) {
    supported(node, path, around);
    if (node.flag("uniqueItems"))
      forbid(path, "uniqueItems",
             "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    children(node, path, around, root);
    if (const Value* keep = node.get(kPreserveUnknown);
        keep && keep->is_bool() && !keep->get_bool())
      errors_.push_back(
          invalid_field(child(path, kPreserveUnknown), false, "must be true or undefined"));
    map_type(node, path);
    list_type(node, path);
    if (node.text(kListType) == "map") list_map(node, path);
    list_map_keys(node, path);
    rules(node, path);
  }

 private:
  void forbid(const std::string& path, std::string_view name, std::string detail) {
    errors_.push_back(forbidden_field(child(path, name), std::move(detail)));
  }
  void invalid(const std::string& path, Value value, std::string detail) {
    errors_.push_back(invalid_field(path, std::move(value), std::move(detail)));
  }
  void required(const std::string& path, std::string detail) {
    errors_.push_back(required_field(path, std::move(detail)));
  }

  void supported(const Props& node, const std::string& path, const Surroundings& around) {
    const std::string type = node.text("type");
    if (!type.empty() && std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end())
      errors_.push_back(unsupported_field(child(path, "type"), Value(type), kTypes));
    if (node.has("default") && !around.defaults_allowed)
      forbid(path, "default",
             around.defaults_reason.empty() ? "must not be set"
                                            : "must not be set " + around.defaults_reason);
    if (!node.text("id").empty()) forbid(path, "id", "id is not supported");
    if (node.has("additionalItems"))
      forbid(path, "additionalItems", "additionalItems is not supported");
    for (const char* name : {"patternProperties", "definitions"})
      if (!node.members(name).empty()) forbid(path, name, std::string(name) + " is not supported");
    if (node.has("dependencies")) forbid(path, "dependencies", "dependencies is not supported");
    if (node.has("$ref")) forbid(path, "$ref", "$ref is not supported");
    if (type == "null")
      forbid(path, "type", "type cannot be set to null, use nullable as an alternative");
    if (const Value* items = node.get("items");
        items && items->is_array() && !items->get_array().empty())
      forbid(path, "items", "items must be a schema object and not an array");
    if (around.inside_metadata && node.flag(kEmbedded))
      forbid(path, kEmbedded, "must not be used inside of resource meta");
  }

  void children(const Props& node, const std::string& path, const Surroundings& around, bool root) {
    if (const Value* more = node.get("additionalProperties")) {
      const bool just_true = more->is_bool() && more->get_bool();
      if (!node.members("properties").empty() && !just_true)
        forbid(path, "additionalProperties",
               "additionalProperties and properties are mutual exclusive");
      Surroundings inner = around;
      if (around.inside_metadata) {
        inner.defaults_allowed = false;
        inner.defaults_reason = "inside additionalProperties applying to object metadata";
      }
      if (more->is_object())
        this->node(Props(*more), child(path, "additionalProperties"), inner, false);
    }
    for (const auto& [name, member] : node.members("properties")) {
      Surroundings inner = around;
      if ((root || node.flag(kEmbedded)) &&
          (name == "metadata" || name == "kind" || name == "apiVersion")) {
        inner.inside_metadata = true;
        if (root) {
          inner.defaults_allowed = false;
          inner.defaults_reason = "in top-level " + name;
        }
      }
      this->node(member, key(child(path, "properties"), name), inner, false);
    }
    if (auto inverse = node.child("not")) this->node(*inverse, child(path, "not"), around, false);
    for (const char* junctor : {"allOf", "oneOf", "anyOf"}) {
      const std::vector<Props> branches = node.list(junctor);
      for (size_t i = 0; i < branches.size(); ++i)
        this->node(branches[i], at(child(path, junctor), i), around, false);
    }
    if (auto items = node.child("items")) this->node(*items, child(path, "items"), around, false);
  }

  void map_type(const Props& node, const std::string& path) {
    if (!node.has(kMapType)) return;
    const std::string type = node.text("type");
    const std::string map_type = node.text(kMapType);
    if (type != "object") {
      const char* detail = "must be object if x-kubernetes-map-type is specified";
      if (type.empty())
        required(child(path, "type"), detail);
      else
        invalid(child(path, "type"), Value(type), detail);
    }
    if (map_type != "atomic" && map_type != "granular")
      errors_.push_back(
          unsupported_field(child(path, kMapType), Value(map_type), {"atomic", "granular"}));
  }

  void list_type(const Props& node, const std::string& path) {
    const bool there = node.has(kListType);
    const std::string type = node.text("type");
    const std::string list_type = node.text(kListType);
    if (there && type != "array") {
      const char* detail = "must be array if x-kubernetes-list-type is specified";
      if (type.empty())
        required(child(path, "type"), detail);
      else
        invalid(child(path, "type"), Value(type), detail);
    } else if (auto items = node.child("items"); items && list_type == "set") {
      set_items(*items, child(path, "items"));
    }
    if (there && list_type != "atomic" && list_type != "set" && list_type != "map")
      errors_.push_back(
          unsupported_field(child(path, kListType), Value(list_type), {"atomic", "set", "map"}));
    if (node.strings(kListMapKeys).empty()) return;
    const char* detail = "must be map if x-kubernetes-list-map-keys is non-empty";
    if (!there)
      required(child(path, kListType), detail);
    else if (list_type != "map")
      invalid(child(path, kListType), Value(list_type), detail);
  }

  void set_items(const Props& items, const std::string& path) {
    const char* detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const std::string list_type = items.text(kListType);
    const Value* written = items.get(kListType);
    if (items.text("type") == "array" && written && list_type != "atomic")
      invalid(child(path, kListType), *written, detail);
    // The real server shows the list type here too, which an object does not have.
    if (items.text("type") == "object" && items.text(kMapType) != "atomic")
      invalid(child(path, kMapType), written ? *written : Value(), detail);
  }

  void list_map(const Props& node, const std::string& path) {
    const std::vector<std::string> keys = node.strings(kListMapKeys);
    if (keys.empty())
      required(child(path, kListMapKeys), "must not be empty if x-kubernetes-list-type is map");
    const Value* items_value = node.get("items");
    if (!items_value)
      required(child(path, "items"), "must have a schema if x-kubernetes-list-type is map");
    auto items = node.child("items");
    if (!items) return;
    const std::string type = items->text("type");
    if (type != "object") {
      invalid(child(child(path, "items"), "type"), Value(type),
              "must be object if parent array's x-kubernetes-list-type is map");
      return;
    }
    std::vector<std::string> seen;
    const auto properties = items->child("properties");
    for (const std::string& name : keys) {
      const auto member = properties ? properties->child(name) : std::nullopt;
      const std::string member_type = member ? member->text("type") : "";
      if (!member)
        invalid(child(path, kListMapKeys), strings_value(keys),
                "entries must all be names of item properties");
      else if (member_type == "array" || member_type == "object")
        invalid(child(key(child(child(path, "items"), "properties"), name), "type"), Value(type),
                "must be a scalar type if parent array's x-kubernetes-list-type is map");
      if (std::find(seen.begin(), seen.end(), name) != seen.end())
        invalid(child(path, kListMapKeys), strings_value(keys),
                "must not contain duplicate entries");
      seen.push_back(name);
    }
  }

  /// Items of sets and maps are told apart by value or key, so those cannot be null or absent.
  void list_map_keys(const Props& node, const std::string& path) {
    const std::string list_type = node.text(kListType);
    auto items = node.child("items");
    if (!items || (list_type != "set" && list_type != "map")) return;
    const std::string items_path = child(path, "items");
    if (items->flag("nullable"))
      forbid(items_path, "nullable",
             "cannot be nullable when x-kubernetes-list-type is " + list_type);
    const auto properties = items->child("properties");
    if (list_type != "map" || !properties) return;
    const std::vector<std::string> given = items->strings("required");
    for (const std::string& name : node.strings(kListMapKeys)) {
      const auto member = properties->child(name);
      if (!member) continue;
      const std::string where = key(child(items_path, "properties"), name);
      if (std::find(given.begin(), given.end(), name) == given.end() && !member->has("default"))
        required(child(where, "default"),
                 "this property is in x-kubernetes-list-map-keys, so it must have a default or be "
                 "a required property");
      if (member->flag("nullable"))
        forbid(where, "nullable",
               "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
  }

  /// The form of CEL rules; whether they compile is not looked at.
  void rules(const Props& node, const std::string& path) {
    const std::vector<Props> list = node.list(kValidations);
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string where = at(child(path, kValidations), i);
      const std::string message = list[i].text("message");
      const std::string written = list[i].text("rule");
      const std::string rule(trim(written));
      const std::string trimmed(trim(message));
      if (rule.empty())
        required(child(where, "rule"), "rule is not specified");
      else if (!message.empty() && trimmed.empty())
        invalid(child(where, "message"), Value(message), "must be non-empty if specified");
      else if (has_newline(trimmed))
        invalid(child(where, "message"), Value(message), "must not contain line breaks");
      else if (has_newline(rule) && trimmed.empty())
        required(child(where, "message"), "message must be specified if rule contains line breaks");
      const std::string expression = list[i].text("messageExpression");
      if (!expression.empty() && trim(expression).empty())
        required(child(where, "messageExpression"),
                 "messageExpression must be non-empty if specified");
      const std::string reason = list[i].text("reason");
      if (list[i].has("reason") &&
          std::find(kReasons.begin(), kReasons.end(), reason) == kReasons.end())
        errors_.push_back(unsupported_field(child(where, "reason"), Value(reason), kReasons));
    }
  }

  FieldErrors& errors_;
};

}  // namespace

void check_open_api(const Props& root, const std::string& path, FieldErrors& errors) {
  Checker(errors).node(root, path, Surroundings{}, true);
}

}  // namespace holdfast::model::structural
