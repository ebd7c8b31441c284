// The rules that make a schema structural: every field has its type in one place, and junctors only
// validate.
#include "structural/rules.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model::structural {
namespace {

enum class Level { Root, Item, Field };

std::string property(const std::string& path, const std::string& name) {
  return key(child(path, "properties"), name);
}

/// The one place where `type` may stand inside a junctor:
///   anyOf: [{type: integer}, {type: string}]
bool is_int_or_string_any_of(const Props& node) {
  const std::vector<Props> branches = node.list("anyOf");
  auto only_type = [](const Props& branch, std::string_view type) {
    return branch.object().size() == 1 && branch.text("type") == type;
  };
  return branches.size() == 2 && only_type(branches[0], "integer") &&
         only_type(branches[1], "string");
}

bool is_int_or_string_all_of(const Props& node) {
  const std::vector<Props> branches = node.list("allOf");
  return !branches.empty() && is_int_or_string_any_of(branches[0]);
}

class Checker {
 public:
  explicit Checker(FieldErrors& errors) : errors_(errors) {}

  void invariants(const Props& node, Level level, const std::string& path) {
    if (node.text("type") == "array" && !node.has("items"))
      errors_.push_back(required_field(child(path, "items"), "must be specified"));
    if (auto items = node.child("items")) invariants(*items, Level::Item, child(path, "items"));
    for (const auto& [name, member] : node.members("properties"))
      invariants(member, Level::Field, property(path, name));
    if (node.has("additionalProperties")) {
      if (level == Level::Root)
        forbid(path, "additionalProperties", "must not be used at the root");
      if (auto more = node.child("additionalProperties"))
        invariants(*more, Level::Field, child(path, "additionalProperties"));
    }
    extensions(node, path);
    value_validation(node, is_int_or_string_any_of(node), is_int_or_string_all_of(node), path);
    type(node, level, path);
    resource_fields(node, level, path);
  }

  /// Every value that a junctor speaks of must be specified outside of it. `spec` is null where
  /// nothing is specified.
  void completeness(const Props& value, const Props* spec, const std::string& spec_path,
                    const std::string& value_path) {
    if (!spec) {
      errors_.push_back(required_field(spec_path, "because it is defined in " + value_path));
      return;
    }
    if (auto inverse = value.child("not"))
      nested_completeness(*inverse, spec, spec_path, child(value_path, "not"));
    for (const char* junctor : {"allOf", "anyOf", "oneOf"}) {
      const std::vector<Props> branches = value.list(junctor);
      for (size_t i = 0; i < branches.size(); ++i)
        nested_completeness(branches[i], spec, spec_path, at(child(value_path, junctor), i));
    }
  }

 private:
  void forbid(const std::string& path, std::string_view name, std::string detail) {
    errors_.push_back(forbidden_field(child(path, name), std::move(detail)));
  }

  void extensions(const Props& node, const std::string& path) {
    if (!node.flag(kIntOrString)) return;
    for (std::string_view other : {kPreserveUnknown, kEmbedded})
      if (node.flag(other))
        errors_.push_back(invalid_field(child(path, other), true,
                                        "must be false if x-kubernetes-int-or-string is true"));
  }

  void type(const Props& node, Level level, const std::string& path) {
    const std::string type = node.text("type");
    const std::string where = child(path, "type");
    const bool embedded = node.flag(kEmbedded);
    if (embedded && type != "object") {
      const char* detail = "must be object if x-kubernetes-embedded-resource is true";
      errors_.push_back(type.empty() ? required_field(where, detail)
                                     : invalid_field(where, Value(type), detail));
    } else if (type.empty() && !node.flag(kIntOrString) && !node.flag(kPreserveUnknown)) {
      const char* detail = level == Level::Root   ? "must not be empty at the root"
                           : level == Level::Item ? "must not be empty for specified array items"
                                                  : "must not be empty for specified object fields";
      errors_.push_back(required_field(where, detail));
    }
    if (embedded && node.has("additionalProperties"))
      forbid(path, "additionalProperties",
             "must not be used if x-kubernetes-embedded-resource is set");
    if (level == Level::Root && !type.empty() && type != "object")
      errors_.push_back(invalid_field(where, Value(type), "must be object at the root"));
  }

  void resource_fields(const Props& node, Level level, const std::string& path) {
    const bool resource = level == Level::Root || node.flag(kEmbedded);
    const auto members = node.members("properties");
    for (const auto& [name, member] : members) {
      const std::string where = property(path, name);
      const std::string type = member.text("type");
      if (resource && (name == "kind" || name == "apiVersion") && type != "string")
        errors_.push_back(invalid_field(child(where, "type"), Value(type), "must be string"));
      if (name != "metadata") continue;
      if (resource && type != "object")
        errors_.push_back(invalid_field(child(where, "type"), Value(type), "must be object"));
      if (level == Level::Root && restricts_more_than_names(member))
        errors_.push_back(forbidden_field(
            where,
            "must not specify anything other than name and generateName, but metadata is "
            "implicitly specified"));
    }
    if (node.flag(kEmbedded) && !node.flag(kPreserveUnknown) && members.empty())
      errors_.push_back(required_field(child(path, "properties"),
                                       "must not be empty if x-kubernetes-embedded-resource is "
                                       "true without x-kubernetes-preserve-unknown-fields"));
  }

  static bool restricts_more_than_names(const Props& metadata) {
    for (const auto& member : metadata.object()) {
      const std::string_view name = member.key();
      const Value& value = member.value();
      if (name == "type" || name == "default" || name == "externalDocs" || name == "example")
        continue;
      if (name == "properties") {
        for (const auto& [restricted, schema] : metadata.members("properties"))
          if (restricted != "name" && restricted != "generateName") return true;
        continue;
      }
      const bool zero = value.is_null() || (value.is_bool() && !value.get_bool()) ||
                        (value.is_string() && value.get_string().empty());
      if (!zero || name == "additionalProperties") return true;
    }
    return false;
  }

  void value_validation(const Props& node, bool skip_any_of, bool skip_first_all_of,
                        const std::string& path) {
    for (const char* junctor : {"anyOf", "allOf", "oneOf"}) {
      const bool any_of = std::string_view(junctor) == "anyOf";
      const bool all_of = std::string_view(junctor) == "allOf";
      if (any_of && skip_any_of) continue;
      const std::vector<Props> branches = node.list(junctor);
      for (size_t i = 0; i < branches.size(); ++i)
        nested(branches[i], all_of && skip_first_all_of && i == 0, at(child(path, junctor), i));
    }
    if (auto inverse = node.child("not")) nested(*inverse, false, child(path, "not"));
    const std::string pattern = node.text("pattern");
    if (const std::string complaint = regexp_complaint(pattern); !complaint.empty())
      errors_.push_back(
          invalid_field(child(path, "pattern"), Value(pattern),
                        "must be a valid regular expression, but isn't: " + complaint));
  }

  void nested(const Props& node, bool skip_any_of, const std::string& path) {
    value_validation(node, skip_any_of, false, path);
    if (auto items = node.child("items")) nested(*items, false, child(path, "items"));
    for (const auto& [name, member] : node.members("properties"))
      nested(member, false, property(path, name));
    const Value* more = node.get("additionalProperties");
    if (more && !(more->is_bool() && !more->get_bool()))
      forbid(path, "additionalProperties", "must be undefined to be structural");
    for (std::string_view name :
         {std::string_view("type"), std::string_view("title"), std::string_view("description")})
      if (!node.text(name).empty()) forbid(path, name, "must be empty to be structural");
    if (node.has("default")) forbid(path, "default", "must be undefined to be structural");
    for (std::string_view name :
         {std::string_view("nullable"), kPreserveUnknown, kEmbedded, kIntOrString})
      if (node.flag(name)) forbid(path, name, "must be false to be structural");
    for (std::string_view name : {kListType, kMapType})
      if (node.has(name)) forbid(path, name, "must be undefined to be structural");
    if (!node.strings(kListMapKeys).empty())
      forbid(path, kListMapKeys, "must be empty to be structural");
    if (!node.list(kValidations).empty())
      forbid(path, kValidations, "must be empty to be structural");
    for (const auto& [name, member] : node.members("properties"))
      if (name == "metadata")
        errors_.push_back(
            forbidden_field(property(path, name), "must not be specified in a nested context"));
  }

  void nested_completeness(const Props& value, const Props* spec, const std::string& spec_path,
                           const std::string& value_path) {
    completeness(value, spec, spec_path, value_path);
    if (!spec) return;
    if (auto items = value.child("items")) {
      auto specified = spec->child("items");
      nested_completeness(*items, specified ? &*specified : nullptr, child(spec_path, "items"),
                          child(value_path, "items"));
    }
    const auto specified = spec->members("properties");
    for (const auto& [name, member] : value.members("properties")) {
      auto found = std::find_if(specified.begin(), specified.end(),
                                [&n = name](const auto& s) { return s.first == n; });
      nested_completeness(member, found == specified.end() ? nullptr : &found->second,
                          property(spec_path, name), property(value_path, name));
    }
  }

  FieldErrors& errors_;
};

}  // namespace

bool is_convertible(const Props& node) {
  for (const char* name : {"id", "$schema", "$ref"})
    if (!node.text(name).empty()) return false;
  for (const char* name : {"patternProperties", "dependencies", "definitions"})
    if (!node.members(name).empty()) return false;
  const Value* items = node.get("items");
  const Value* keep = node.get(kPreserveUnknown);
  if (node.has("additionalItems") || (items && items->is_array() && !items->get_array().empty()) ||
      (keep && !node.flag(kPreserveUnknown)))
    return false;
  for (const char* name : {"items", "additionalProperties", "not"})
    if (auto inner = node.child(name); inner && !is_convertible(*inner)) return false;
  for (const char* name : {"allOf", "anyOf", "oneOf"})
    for (const Props& branch : node.list(name))
      if (!is_convertible(branch)) return false;
  for (const auto& [name, member] : node.members("properties"))
    if (!is_convertible(member)) return false;
  return true;
}

void check_structural(const Props& root, const std::string& path, FieldErrors& errors) {
  FieldErrors found;
  Checker checker(found);
  checker.invariants(root, Level::Root, path);
  checker.completeness(root, &root, path, path);
  std::stable_sort(found.begin(), found.end(),
                   [](const FieldError& a, const FieldError& b) { return a.text() < b.text(); });
  errors.insert(errors.end(), found.begin(), found.end());
}

}  // namespace holdfast::model::structural
