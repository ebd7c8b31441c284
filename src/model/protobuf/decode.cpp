// Protobuf messages of built-in kinds to JSON, and the envelope they come in.
//
//   body    = "k8s" %x00 Unknown
//   Unknown = 1: TypeMeta{1: apiVersion, 2: kind}   2: raw message   3: contentEncoding   4:
//   contentType
//
// Types with a form of their own:
//   Time, MicroTime  {1: seconds, 2: nanos}, empty = zero      Quantity     {1: text}
//   IntOrString      {1: 1 if text, 2: number, 3: text}        StringList   {1: text, repeated}
//   RawExtension, FieldsV1, JSON  {1: JSON text}               map          repeated {1: key, 2:
//   value} JSONSchemaPropsOrBool {1: allows, 2: schema}   …OrArray {1: schema, 2: schemas}
//   …OrStringArray {1: schema, 2: text}
#include <holdfast/base/bytes.h>
#include <holdfast/model/typed.h>

#include "protobuf/wire.h"
#include "typed/go_text.h"

#include <fmt/format.h>

#include <bit>
#include <cctype>

namespace holdfast::model {

namespace {

constexpr std::string_view kMagic{"k8s\0", 4};
/// JSONSchemaProps is the only message that contains itself; real ones stay far below this.
constexpr int kMaxNesting = 200;
constexpr int64_t kYear10000 = 253402300800;

using Tag = WireReader::Tag;

Result<void> expect(const Tag& tag, Wire wanted, std::string_view field) {
  if (tag.wire == wanted) return ok();
  std::string name(field);
  if (!name.empty()) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return Error(Fault::Invalid, fmt::format("proto: wrong wireType = {} for field {}",
                                           static_cast<int>(tag.wire), name));
}

Result<std::string_view> text_of(WireReader& in, const Tag& tag, std::string_view field) {
  HF_TRY(expect(tag, Wire::Bytes, field));
  std::string_view text = HF_TRY(in.bytes());
  if (!is_utf8(text))
    return Error(Fault::Invalid, fmt::format("proto: field {} contains invalid UTF-8", field));
  return text;
}

Value to_value(std::string_view text) { return boost::json::string(text.data(), text.size()); }

class Decoder {
 public:
  /// Adds the members of the message to `out`: what stands twice is merged, as the generated Go
  /// code does.
  Result<void> message(std::string_view bytes, const Shape& shape, Object& out) {
    if (++nesting_ > kMaxNesting)
      return Error(Fault::Invalid, "proto: message is nested too deeply");
    WireReader in(bytes);
    while (!in.done()) {
      const Tag tag = HF_TRY(in.tag(go_struct_name(shape)));
      const Field* field = find(shape, tag.number);
      if (!field)
        HF_TRY(in.skip(tag.wire));
      else
        HF_TRY(member(in, tag, *field, out));
    }
    --nesting_;
    return ok();
  }

 private:
  static const Field* find(const Shape& shape, uint32_t number) {
    for (const Field& field : shape.fields)
      if (field.tag == number) return &field;
    return nullptr;
  }

  Result<void> member(WireReader& in, const Tag& tag, const Field& field, Object& out) {
    const Schema& schema = field.schema;
    if (field.inlined) {
      HF_TRY(expect(tag, Wire::Bytes, field.name));
      std::string_view inner = HF_TRY(in.bytes());
      return message(inner, *schema.shape, out);
    }
    Value& slot = out[field.name];
    if (schema.go == GoType::Slice) return element(in, tag, field, slot);
    if (schema.go == GoType::StringMap) return entry(in, tag, field, slot);
    return value(in, tag, schema, field.name, slot);
  }

  Result<void> element(WireReader& in, const Tag& tag, const Field& field, Value& slot) {
    Array& list = slot.is_array() ? slot.get_array() : slot.emplace_array();
    const Schema& items = *field.schema.items;
    const bool number =
        items.go == GoType::Int32 || items.go == GoType::Int64 || items.go == GoType::Bool;
    if (!number || tag.wire != Wire::Bytes)
      return value(in, tag, items, field.name, list.emplace_back(nullptr));
    std::string_view all = HF_TRY(in.bytes());  // packed
    for (WireReader packed(all); !packed.done();)
      HF_TRY(
          value(packed, {tag.number, Wire::Varint}, items, field.name, list.emplace_back(nullptr)));
    return ok();
  }

  Result<void> entry(WireReader& in, const Tag& tag, const Field& field, Value& slot) {
    HF_TRY(expect(tag, Wire::Bytes, field.name));
    std::string_view bytes = HF_TRY(in.bytes());
    std::string_view key = "";
    Value held;
    bool given = false;
    for (WireReader pair(bytes); !pair.done();) {
      const Tag part = HF_TRY(pair.tag(field.name));
      if (part.number == 1) {
        key = HF_TRY(text_of(pair, part, field.name));
      } else if (part.number == 2) {
        HF_TRY(value(pair, part, *field.schema.items, field.name, held));
        given = true;
      } else {
        HF_TRY(pair.skip(part.wire));
      }
    }
    if (!given && field.schema.items->go == GoType::Struct) held.emplace_object();
    Object& map = slot.is_object() ? slot.get_object() : slot.emplace_object();
    map.insert_or_assign(key, std::move(held));
    return ok();
  }

  Result<void> value(WireReader& in, const Tag& tag, const Schema& schema, std::string_view field,
                     Value& slot) {
    switch (schema.go) {
      case GoType::String:
        slot = to_value(HF_TRY(text_of(in, tag, field)));
        return ok();
      case GoType::Bool:
        HF_TRY(expect(tag, Wire::Varint, field));
        slot = HF_TRY(in.varint()) != 0;
        return ok();
      case GoType::Int32:
        HF_TRY(expect(tag, Wire::Varint, field));
        slot = static_cast<int64_t>(static_cast<int32_t>(HF_TRY(in.varint())));
        return ok();
      case GoType::Int64:
        HF_TRY(expect(tag, Wire::Varint, field));
        slot = static_cast<int64_t>(HF_TRY(in.varint()));
        return ok();
      case GoType::Float64:
        HF_TRY(expect(tag, Wire::Fixed64, field));
        slot = std::bit_cast<double>(HF_TRY(in.fixed64()));
        return finite(slot, field);
      default:
        break;
    }
    HF_TRY(expect(tag, Wire::Bytes, field));
    std::string_view bytes = HF_TRY(in.bytes());
    switch (schema.go) {
      case GoType::Bytes:
        slot = base64(bytes);
        return ok();
      case GoType::Struct:
        return message(bytes, *schema.shape,
                       slot.is_object() ? slot.get_object() : slot.emplace_object());
      default:
        return special(bytes, schema, field, slot);
    }
  }

  static Result<void> finite(const Value& value, std::string_view field) {
    const double number = value.get_double();
    if (number - number == 0) return ok();
    return Error(Fault::Invalid, fmt::format("json: unsupported value for field {}", field));
  }

  Result<void> special(std::string_view bytes, const Schema& schema, std::string_view field,
                       Value& slot) {
    switch (schema.go) {
      case GoType::Time:
      case GoType::MicroTime:
        return time(bytes, schema.go == GoType::MicroTime, slot);
      case GoType::Quantity:
        return quantity(bytes, field, slot);
      case GoType::IntOrString:
        return int_or_string(bytes, field, slot);
      case GoType::RawExtension:
      case GoType::FieldsV1:
      case GoType::Json:
        return raw(bytes, field, slot);
      case GoType::StringList:
        return string_list(bytes, 1, field, slot);
      case GoType::JsonSchemaOrBool:
      case GoType::JsonSchemaOrArray:
      case GoType::JsonSchemaOrStringArray:
        return json_schema(bytes, schema, field, slot);
      default:
        return Error(Fault::Internal, fmt::format("field {} has no protobuf form", field));
    }
  }

  static Result<void> time(std::string_view bytes, bool micro, Value& slot) {
    slot = nullptr;
    if (bytes.empty()) return ok();
    GoTime time;
    for (WireReader in(bytes); !in.done();) {
      const Tag tag = HF_TRY(in.tag("Timestamp"));
      if (tag.number > 2) {
        HF_TRY(in.skip(tag.wire));
        continue;
      }
      HF_TRY(expect(tag, Wire::Varint, tag.number == 1 ? "Seconds" : "Nanos"));
      const uint64_t number = HF_TRY(in.varint());
      if (tag.number == 1) time.seconds = static_cast<int64_t>(number);
      if (tag.number == 2 && micro) time.nanos = static_cast<int32_t>(number);
    }
    if (time.seconds < kZeroTimeSeconds || time.seconds >= kYear10000 || time.nanos < 0 ||
        time.nanos >= 1000000000)
      return Error(Fault::Invalid, "proto: time is outside of the years 1 to 9999");
    if (time.seconds != kZeroTimeSeconds || time.nanos != 0) slot = go_time_text(time, micro);
    return ok();
  }

  static Result<void> quantity(std::string_view bytes, std::string_view field, Value& slot) {
    slot = "0";
    for (WireReader in(bytes); !in.done();) {
      const Tag tag = HF_TRY(in.tag("Quantity"));
      if (tag.number != 1)
        HF_TRY(in.skip(tag.wire));
      else
        slot = to_value(HF_TRY(text_of(in, tag, field)));
    }
    return ok();
  }

  static Result<void> int_or_string(std::string_view bytes, std::string_view field, Value& slot) {
    bool is_text = false;
    int64_t number = 0;
    std::string_view text = "";
    for (WireReader in(bytes); !in.done();) {
      const Tag tag = HF_TRY(in.tag("IntOrString"));
      if (tag.number > 3) {
        HF_TRY(in.skip(tag.wire));
      } else if (tag.number == 3) {
        text = HF_TRY(text_of(in, tag, field));
      } else {
        HF_TRY(expect(tag, Wire::Varint, tag.number == 1 ? "Type" : "IntVal"));
        const uint64_t value = HF_TRY(in.varint());
        if (tag.number == 1) is_text = value != 0;
        if (tag.number == 2) number = static_cast<int32_t>(value);
      }
    }
    if (is_text)
      slot = to_value(text);
    else
      slot = number;
    return ok();
  }

  static Result<void> raw(std::string_view bytes, std::string_view field, Value& slot) {
    slot = nullptr;
    for (WireReader in(bytes); !in.done();) {
      const Tag tag = HF_TRY(in.tag(field));
      if (tag.number != 1) {
        HF_TRY(in.skip(tag.wire));
        continue;
      }
      HF_TRY(expect(tag, Wire::Bytes, "Raw"));
      std::string_view text = HF_TRY(in.bytes());
      if (text.empty()) continue;
      slot = HF_TRY(parse_json(text)).value;
    }
    return ok();
  }

  static Result<void> string_list(std::string_view bytes, uint32_t number, std::string_view field,
                                  Value& slot) {
    Array& list = slot.emplace_array();
    for (WireReader in(bytes); !in.done();) {
      const Tag tag = HF_TRY(in.tag(field));
      if (tag.number != number)
        HF_TRY(in.skip(tag.wire));
      else
        list.push_back(to_value(HF_TRY(text_of(in, tag, field))));
    }
    return ok();
  }

  Result<void> json_schema(std::string_view bytes, const Schema& schema, std::string_view field,
                           Value& slot) {
    const bool or_bool = schema.go == GoType::JsonSchemaOrBool;
    const uint32_t schema_number = or_bool ? 2 : 1;
    if (or_bool) slot = false;
    if (schema.go == GoType::JsonSchemaOrStringArray) {
      HF_TRY(string_list(bytes, 2, field, slot));
      if (slot.get_array().empty()) slot = nullptr;
    }
    Array list;
    for (WireReader in(bytes); !in.done();) {
      const Tag tag = HF_TRY(in.tag(field));
      if (or_bool && tag.number == 1) {
        HF_TRY(expect(tag, Wire::Varint, "Allows"));
        const bool allows = HF_TRY(in.varint()) != 0;
        if (slot.is_bool()) slot = allows;
      } else if (tag.number == schema_number ||
                 (tag.number == 2 && schema.go == GoType::JsonSchemaOrArray)) {
        HF_TRY(expect(tag, Wire::Bytes, "Schema"));
        std::string_view inner = HF_TRY(in.bytes());
        Object object;
        HF_TRY(message(inner, *schema.shape, object));
        if (tag.number != schema_number)
          list.push_back(std::move(object));
        else if (!slot.is_array())
          slot = std::move(object);
      } else {
        HF_TRY(in.skip(tag.wire));
      }
    }
    if (!list.empty()) slot = std::move(list);
    return ok();
  }

  int nesting_ = 0;
};

}  // namespace

Result<ProtobufEnvelope> open_protobuf(std::string_view body) {
  if (body.empty()) return Error(Fault::Invalid, "empty data");
  if (!body.starts_with(kMagic))
    return Error(
        Fault::Invalid,
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  if (body.size() == kMagic.size()) return Error(Fault::Invalid, "empty body");
  ProtobufEnvelope envelope;
  for (WireReader in(body.substr(kMagic.size())); !in.done();) {
    const Tag tag = HF_TRY(in.tag("Unknown"));
    if (tag.number == 2) {
      HF_TRY(expect(tag, Wire::Bytes, "Raw"));
      envelope.raw = HF_TRY(in.bytes());
    } else if (tag.number == 1) {
      HF_TRY(expect(tag, Wire::Bytes, "TypeMeta"));
      std::string_view meta = HF_TRY(in.bytes());
      for (WireReader inner(meta); !inner.done();) {
        const Tag part = HF_TRY(inner.tag("TypeMeta"));
        if (part.number == 1)
          envelope.api_version = HF_TRY(text_of(inner, part, "apiVersion"));
        else if (part.number == 2)
          envelope.kind = HF_TRY(text_of(inner, part, "kind"));
        else
          HF_TRY(inner.skip(part.wire));
      }
    } else {
      HF_TRY(in.skip(tag.wire));
    }
  }
  return envelope;
}

Result<Value> decode_protobuf(std::string_view message, const Shape& shape) {
  Object object;
  HF_TRY(Decoder().message(message, shape, object));
  return Value(std::move(object));
}

}  // namespace holdfast::model
