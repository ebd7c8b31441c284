// JSON of built-in kinds to protobuf, byte for byte what the generated Go code writes: members by
// rising number, values that are no pointers written even when they are zero, maps by rising key.
// The forms are drawn in decode.cpp.
#include <holdfast/model/typed.h>

#include "protobuf/wire.h"
#include "typed/go_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace holdfast::model {

namespace {

const Value kNull;

Error mismatch(std::string_view field, std::string_view wanted) {
  return Error(Fault::Invalid, fmt::format("{}: {} expected", field, wanted));
}

class Encoder {
 public:
  static Result<std::string> message(const Object& object, const Shape& shape) {
    std::vector<const Field*> order;
    for (const Field& field : shape.fields)
      if (field.tag != 0) order.push_back(&field);
    std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->tag < b->tag; });
    std::string out;
    for (const Field* field : order) {
      if (field->inlined) {
        put_bytes(out, field->tag, HF_TRY(message(object, *field->schema.shape)));
        continue;
      }
      auto at = object.find(field->name);
      HF_TRY(member(out, *field, at == object.end() ? kNull : at->value()));
    }
    return out;
  }

 private:
  static Result<void> member(std::string& out, const Field& field, const Value& given) {
    const Schema& schema = field.schema;
    if (schema.go == GoType::Slice) {
      if (given.is_null()) return ok();
      if (!given.is_array()) return mismatch(field.name, "a list");
      for (const Value& element : given.get_array())
        HF_TRY(value(out, field.tag, *schema.items, field.name, element));
      return ok();
    }
    if (schema.go == GoType::StringMap) return map(out, field, given);
    const bool may_miss =
        schema.go_pointer || schema.go == GoType::Bytes || schema.go == GoType::StringList;
    if (given.is_null() && may_miss) return ok();
    return value(out, field.tag, schema, field.name, given);
  }

  static Result<void> map(std::string& out, const Field& field, const Value& given) {
    if (given.is_null()) return ok();
    if (!given.is_object()) return mismatch(field.name, "an object");
    std::vector<const boost::json::key_value_pair*> order;
    for (const auto& pair : given.get_object()) order.push_back(&pair);
    std::sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->key() < b->key(); });
    for (const auto* pair : order) {
      std::string entry;
      put_bytes(entry, 1, {pair->key().data(), pair->key().size()});
      HF_TRY(value(entry, 2, *field.schema.items, field.name, pair->value()));
      put_bytes(out, field.tag, entry);
    }
    return ok();
  }

  /// A null here is Go's zero value.
  static Result<void> value(std::string& out, uint32_t number, const Schema& schema,
                            std::string_view field, const Value& given) {
    switch (schema.go) {
      case GoType::String:
        if (!given.is_null() && !given.is_string()) return mismatch(field, "a string");
        put_bytes(out, number, given.is_null() ? "" : view(given.get_string()));
        return ok();
      case GoType::Bool:
        if (!given.is_null() && !given.is_bool()) return mismatch(field, "a boolean");
        put_number(out, number, !given.is_null() && given.get_bool() ? 1 : 0);
        return ok();
      case GoType::Int32:
      case GoType::Int64:
        if (!given.is_null() && !given.is_int64()) return mismatch(field, "an integer");
        put_number(out, number, given.is_null() ? 0 : static_cast<uint64_t>(given.get_int64()));
        return ok();
      case GoType::Float64:
        if (!given.is_null() && !given.is_number()) return mismatch(field, "a number");
        put_fixed64(out, number,
                    std::bit_cast<uint64_t>(given.is_null() ? 0.0 : given.to_number<double>()));
        return ok();
      default:
        put_bytes(out, number, HF_TRY(bytes_of(schema, field, given)));
        return ok();
    }
  }

  static Result<std::string> bytes_of(const Schema& schema, std::string_view field,
                                      const Value& given) {
    std::string out;
    switch (schema.go) {
      case GoType::Struct:
        if (!given.is_null() && !given.is_object()) return mismatch(field, "an object");
        return message(given.is_null() ? Object() : given.get_object(), *schema.shape);
      case GoType::Bytes:
        if (given.is_null()) return out;
        if (!given.is_string()) return mismatch(field, "a string");
        return go_base64(view(given.get_string()));
      case GoType::Time:
      case GoType::MicroTime:
        return time(schema.go == GoType::MicroTime, field, given);
      case GoType::Quantity:
        if (!given.is_null() && !given.is_string()) return mismatch(field, "a string");
        put_bytes(out, 1, given.is_null() ? "0" : view(given.get_string()));
        return out;
      case GoType::IntOrString:
        put_number(out, 1, given.is_string() ? 1 : 0);
        put_number(out, 2, given.is_int64() ? static_cast<uint64_t>(given.get_int64()) : 0);
        put_bytes(out, 3, given.is_string() ? view(given.get_string()) : "");
        return out;
      case GoType::RawExtension:
      case GoType::FieldsV1:
      case GoType::Json:
        if (!given.is_null()) put_bytes(out, 1, to_json(given));
        return out;
      case GoType::StringList:
        return string_list(1, field, given);
      default:
        return json_schema(schema, field, given);
    }
  }

  static Result<std::string> time(bool micro, std::string_view field, const Value& given) {
    std::string out;
    if (given.is_null()) return out;
    if (!given.is_string()) return mismatch(field, "a string");
    const GoTime time = HF_TRY(go_time(view(given.get_string()), micro));
    put_number(out, 1, static_cast<uint64_t>(time.seconds));
    put_number(out, 2, micro ? static_cast<uint64_t>(time.nanos / 1000 * 1000) : 0);
    return out;
  }

  static Result<std::string> string_list(uint32_t number, std::string_view field,
                                         const Value& given) {
    std::string out;
    if (given.is_null()) return out;
    if (!given.is_array()) return mismatch(field, "a list");
    for (const Value& text : given.get_array()) {
      if (!text.is_string()) return mismatch(field, "a list of strings");
      put_bytes(out, number, view(text.get_string()));
    }
    return out;
  }

  static Result<std::string> json_schema(const Schema& schema, std::string_view field,
                                         const Value& given) {
    std::string out;
    const bool or_bool = schema.go == GoType::JsonSchemaOrBool;
    if (or_bool)
      put_number(out, 1, given.is_object() || (given.is_bool() && given.get_bool()) ? 1 : 0);
    if (given.is_object()) {
      put_bytes(out, or_bool ? 2 : 1, HF_TRY(message(given.get_object(), *schema.shape)));
    } else if (schema.go == GoType::JsonSchemaOrStringArray) {
      return string_list(2, field, given);
    } else if (schema.go == GoType::JsonSchemaOrArray && given.is_array()) {
      for (const Value& element : given.get_array()) {
        if (!element.is_object()) return mismatch(field, "a list of schemas");
        put_bytes(out, 2, HF_TRY(message(element.get_object(), *schema.shape)));
      }
    }
    return out;
  }
};

}  // namespace

Result<std::string> encode_protobuf(const Value& object, const Shape& shape) {
  if (!object.is_object()) return mismatch(go_struct_name(shape), "an object");
  return Encoder::message(object.get_object(), shape);
}

}  // namespace holdfast::model
