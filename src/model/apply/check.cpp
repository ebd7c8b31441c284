// Errors of applied objects that do not fit their type, in the real server's words.

#include <holdfast/base/text.h>

#include "apply/fields_v1.h"
#include "apply/merge.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model::apply {
namespace {

std::string go_text(const Value& value);

std::vector<const boost::json::key_value_pair*> sorted(const Object& map) {
  std::vector<const boost::json::key_value_pair*> out;
  for (const auto& member : map) out.push_back(&member);
  std::sort(out.begin(), out.end(),
            [](const auto* a, const auto* b) { return a->key() < b->key(); });
  return out;
}

// Go's %v: [a b], map[k:v], <nil>, strings bare.
std::string go_text(const Value& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_string()) return std::string(view(value.get_string()));
  std::vector<std::string> parts;
  if (value.is_array()) {
    for (const Value& item : value.get_array()) parts.push_back(go_text(item));
    return "[" + join(parts, " ") + "]";
  }
  if (value.is_object()) {
    for (const auto* member : sorted(value.get_object()))
      parts.push_back(
          fmt::format("{}:{}", std::string_view(member->key()), go_text(member->value())));
    return "map[" + join(parts, " ") + "]";
  }
  return to_json(value);
}

// Go's %#v.
std::string go_syntax(const Value& value) {
  if (value.is_null()) return "interface {}(nil)";
  if (value.is_string()) return quoted(view(value.get_string()));
  std::vector<std::string> parts;
  if (value.is_array()) {
    for (const Value& item : value.get_array()) parts.push_back(go_syntax(item));
    return "[]interface {}{" + join(parts, ", ") + "}";
  }
  if (value.is_object()) {
    for (const auto* member : sorted(value.get_object()))
      parts.push_back(quoted(member->key()) + ":" + go_syntax(member->value()));
    return "map[string]interface {}{" + join(parts, ", ") + "}";
  }
  return to_json(value);
}

// Go's %T.
std::string_view go_type(const Value& value) {
  if (value.is_string()) return "string";
  if (value.is_bool()) return "bool";
  if (value.is_array()) return "[]interface {}";
  return value.is_object() ? "map[string]interface {}" : "float64";
}

class Checker {
 public:
  explicit Checker(Arena& arena) : arena_(arena) {}

  std::string run(const TypeRef& type, const Value& object) {
    walk(type, object);
    if (errors_.empty()) return {};
    if (errors_.size() == 1) return errors_[0];
    std::string out = "errors:";
    for (const std::string& error : errors_) out += "\n  " + error;
    return out;
  }

 private:
  void fail(std::string_view message) {
    errors_.push_back(path_.empty() ? std::string(message) : fmt::format("{}: {}", path_, message));
  }

  void walk(const TypeRef& type, const Value& value) {
    switch (pick(deduce(forms(type), &value))) {
      case kMap:
        return walk_map(type, value);
      case kList:
        return walk_list(type, value);
      default:
        return walk_scalar(type, value);
    }
  }

  void below(const Element& element, const TypeRef& type, const Value& value) {
    const size_t length = path_.size();
    path_ += element_text(element);
    walk(type, value);
    path_.resize(length);
  }

  void walk_map(const TypeRef& type, const Value& value) {
    if (value.is_null()) return;
    if (!value.is_object()) return fail(fmt::format("expected map, got &{{{}}}", go_text(value)));
    for (const auto& member : value.get_object()) {
      const Element element = Element::field(member.key());
      const TypeRef below_type = member_type(type, member.key());
      if (below_type.schema) {
        below(element, below_type, member.value());
        continue;
      }
      const size_t length = path_.size();
      path_ += element_text(element);
      fail("field not declared in schema");
      path_.resize(length);
      return;
    }
  }

  void walk_list(const TypeRef& type, const Value& value) {
    if (value.is_null()) return;
    if (!value.is_array()) return fail(fmt::format("expected list, got &{{{}}}", go_text(value)));
    const bool atomic = list_is_atomic(type);
    std::vector<Element> seen;
    int64_t position = 0;
    for (const Value& item : value.get_array()) {
      std::optional<Element> element = Element::index(position++);
      if (!atomic) {
        std::string why;
        element = item_element(arena_, type, item, &why);
        if (!element) return fail(fmt::format("element {}: {}", position - 1, why));
        note_duplicate(seen, *element);
      }
      below(*element, item_type(type), item);
    }
  }

  void note_duplicate(std::vector<Element>& seen, const Element& element) {
    const auto at =
        std::lower_bound(seen.begin(), seen.end(), element,
                         [](const Element& a, const Element& b) { return compare(a, b) < 0; });
    if (at != seen.end() && compare(*at, element) == 0)
      return fail("duplicate entries for key " + element_text(element));
    seen.insert(at, element);
  }

  void walk_scalar(const TypeRef& type, const Value& value) {
    if (value.is_null() || !type.schema) return;
    const bool scalar = !value.is_array() && !value.is_object();
    const Schema& schema = *type.schema;
    if (schema.type == Type::Integer || schema.type == Type::Number) {
      if (!value.is_number())
        fail(fmt::format("expected numeric (int or float), got {}", go_type(value)));
    } else if (schema.type == Type::Boolean) {
      if (!value.is_bool()) fail(fmt::format("expected boolean, got &{{{}}}", go_text(value)));
    } else if (schema.type == Type::String && is_plain_text(schema)) {
      if (!value.is_string())
        fail(fmt::format("expected string, got &value.valueUnstructured{{Value:{}}}",
                         go_syntax(value)));
    } else if (!scalar) {
      fail(fmt::format("expected any scalar, got &{{{}}}", go_text(value)));
    }
  }

  // A format other than bytes leaves the form of the scalar open.
  static bool is_plain_text(const Schema& schema) {
    if (schema.go == GoType::Quantity || schema.go == GoType::IntOrString) return false;
    if (schema.go == GoType::Time || schema.go == GoType::MicroTime) return false;
    return schema.format.empty() || schema.format == "byte";
  }

  Arena& arena_;
  std::string path_;
  std::vector<std::string> errors_;
};

}  // namespace

std::string check_typed(Arena& arena, const TypeRef& type, const Value& object) {
  return Checker(arena).run(type, object);
}

}  // namespace holdfast::model::apply
