// FieldsV1: reading, writing and naming. Input is whatever a client sent.

#include "apply/fields_v1.h"

#include <holdfast/base/text.h>

#include <algorithm>
#include <charconv>

namespace holdfast::model::apply {
namespace {

std::optional<Element> decode_key(Arena& arena, std::string_view text) {
  auto parsed = parse_json(text);
  if (!parsed || !parsed->value.is_object()) return std::nullopt;
  const Value* object = arena.keep(std::move(parsed->value));
  std::vector<KeyField> keys;
  for (const auto& member : object->get_object()) keys.push_back({member.key(), &member.value()});
  std::stable_sort(keys.begin(), keys.end(),
                   [](const KeyField& a, const KeyField& b) { return a.name < b.name; });
  return Element::key(arena.keep(keys));
}

std::optional<Element> decode_value(Arena& arena, std::string_view text) {
  auto parsed = parse_json(text);
  if (!parsed) return std::nullopt;
  return Element::value(arena.keep(std::move(parsed->value)));
}

std::optional<Element> decode_index(std::string_view text) {
  int64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Element::index(index);
}

class Decoder {
 public:
  explicit Decoder(Arena& arena) : arena_(arena), stack_(arena) {}

  // The fields below a step; `member` becomes true if "." stands there or nothing else does.
  bool read(const Value& fields, const TypeRef& type, Set& children, bool& member) {
    if (fields.is_null()) return member = true;
    if (!fields.is_object()) return false;
    const size_t mark = stack_.mark();
    for (const auto& step : fields.get_object()) {
      const std::string_view text = step.key();
      if (text == ".") {
        member = true;
      } else if (!read_step(text, step.value(), type)) {
        return false;
      }
    }
    children = stack_.take(mark);
    if (children.empty()) member = true;
    return true;
  }

  bool changed() const { return changed_; }

 private:
  bool read_step(std::string_view text, const Value& below, const TypeRef& type) {
    if (text.size() < 2 || text[1] != ':') return false;
    const std::string_view rest = text.substr(2);
    std::optional<Element> element;
    switch (text[0]) {
      case 'f':
        element = Element::field(rest);
        break;
      case 'k':
        element = decode_key(arena_, rest);
        break;
      case 'v':
        element = decode_value(arena_, rest);
        break;
      case 'i':
        element = decode_index(rest);
        break;
      default:
        return changed_ = true;  // a later version may know it
    }
    if (!element) return false;
    const TypeRef child = type_at(type, *element);
    Set children;
    bool member = false;
    if (!read(below, child, children, member)) return false;
    if (!children.empty() && collapses(child)) {
      children = Set();
      member = changed_ = true;
    }
    stack_.push(*element, children, member);
    return true;
  }

  Arena& arena_;
  NodeStack stack_;
  bool changed_ = false;
};

// Go's JSON string with its HTML-safe escapes: this text becomes part of a key that clients
// compare.
void append_escaped(std::string& out, std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || c == '<' || c == '>' || c == '&') {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else if (text.substr(i, 3) == "\u2028" || text.substr(i, 3) == "\u2029") {
      out += text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_value(std::string& out, const Value& value) {
  if (value.is_string()) {
    append_escaped(out, view(value.get_string()));
  } else {
    append_json(out, value);
  }
}

std::string encode_element(const Element& element) {
  std::string out;
  switch (element.kind()) {
    case Element::Kind::Field:
      out = "f:";
      return out += element.name();
    case Element::Kind::Value:
      out = "v:";
      break;
    case Element::Kind::Index:
      return "i:" + std::to_string(element.position());
    case Element::Kind::Key: {
      out = "k:{";
      for (const KeyField& key : element.keys()) {
        if (out.size() > 3) out += ',';
        append_escaped(out, key.name);
        out += ':';
        append_value(out, *key.value);
      }
      return out += '}';
    }
  }
  append_value(out, element.item());
  return out;
}

void fill_fields(Object& out, const Set& set, bool with_self) {
  out.reserve(set.size() + (with_self ? 1 : 0));
  if (with_self) out.emplace(".", Object());
  for (const Node& node : set) {
    Value& below = out[encode_element(node.element)];
    fill_fields(below.emplace_object(), node.children, node.member && !node.children.empty());
  }
}

void append_readable(std::string& out, const Value& value) {
  if (value.is_string()) {
    out += quoted(view(value.get_string()));
  } else {
    append_json(out, value);
  }
}

}  // namespace

std::optional<DecodedFields> decode_fields(Arena& arena, const Value& fields, const TypeRef& type) {
  Decoder decoder(arena);
  DecodedFields result;
  bool root_is_member = false;  // nobody owns "the whole object"
  if (!decoder.read(fields, type, result.set, root_is_member)) return std::nullopt;
  result.changed = decoder.changed();
  return result;
}

Value encode_fields(const Set& set) {
  Object out;
  fill_fields(out, set, false);
  return out;
}

std::string element_text(const Element& element) {
  std::string out;
  switch (element.kind()) {
    case Element::Kind::Field:
      out = ".";
      return out += element.name();
    case Element::Kind::Index:
      return "[" + std::to_string(element.position()) + "]";
    case Element::Kind::Value: {
      out = "[=";
      append_readable(out, element.item());
      return out += ']';
    }
    case Element::Kind::Key:
      break;
  }
  out = "[";
  for (const KeyField& key : element.keys()) {
    if (out.size() > 1) out += ',';
    out += key.name;
    out += '=';
    append_readable(out, *key.value);
  }
  return out += ']';
}

std::string path_text(std::span<const Element> path) {
  std::string out;
  for (const Element& element : path) out += element_text(element);
  return out;
}

}  // namespace holdfast::model::apply
