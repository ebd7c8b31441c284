// Typed decoding and encoding as Go does it: the rules of sigs.k8s.io/json's decoder
// (case-sensitive, null means "leave zero", the first type error wins but an UnmarshalJSON method
// ends it all) and of encoding/json's encoder, with what storage as protobuf adds: an empty list or
// map is no list or map.
//
// Each `take_…` turns a value in place into the form in which Go would print it if it were not
// omitted.
#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/model/quantity.h>
#include <holdfast/model/typed.h>

#include "typed/go_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace holdfast::model {

namespace {

std::string_view json_word(const Value& value) {
  switch (value.kind()) {
    case boost::json::kind::object:
      return "object";
    case boost::json::kind::array:
      return "array";
    case boost::json::kind::string:
      return "string";
    case boost::json::kind::bool_:
      return "bool";
    case boost::json::kind::null:
      return "null";
    default:
      return "number";
  }
}

std::string_view key_of(const boost::json::key_value_pair& member) {
  return {member.key().data(), member.key().size()};
}

/// Whether omitempty looks at a value of this type: it does not at structs and what Go builds from
/// them.
bool may_be_empty(const Schema& schema) {
  switch (schema.go) {
    case GoType::String:
    case GoType::Bool:
    case GoType::Int32:
    case GoType::Int64:
    case GoType::Float64:
    case GoType::Bytes:
    case GoType::StringMap:
    case GoType::StringList:
    case GoType::Slice:
      return true;
    default:
      return schema.go_pointer;
  }
}

/// What storage makes of a nil in a map: the entry is there, and its value is empty.
Value stored_nothing(const Schema& schema) {
  if (schema.go == GoType::Bytes) return "";
  if (schema.go == GoType::StringList) return Array();
  return nullptr;
}

bool zero_is_omitted(const Field& field) {
  return field.omit_zero || (field.omit_empty && may_be_empty(field.schema));
}

/// Go's omitempty and omitzero, on the printed form.
bool is_omitted(const Value& value, const Field& field) {
  if (!zero_is_omitted(field)) return false;
  if (value.is_null()) return true;
  if (field.schema.go_pointer) return false;
  switch (field.schema.go) {
    case GoType::String:
    case GoType::Bytes:
      return value.get_string().empty();
    case GoType::Bool:
      return !value.get_bool();
    case GoType::Int32:
    case GoType::Int64:
      return value.get_int64() == 0;
    case GoType::Float64:
      return value.get_double() == 0;
    default:
      return false;
  }
}

class Decoder {
 public:
  Result<Decoded> run(Value& object, const Schema& schema) {
    HF_TRY(take(object, schema));
    if (complaint_) return Error(Fault::Invalid, std::move(*complaint_));
    return std::move(decoded_);
  }

 private:
  /// The struct and the path that Go names in errors: no indices, no map keys, and inside of an
  /// UnmarshalJSON method the place of the method's own type.
  std::string where() const {
    if (!fixed_where_.empty()) return fixed_where_;
    return go_path_.empty() ? "" : fmt::format("{}.{}", struct_, fmt::join(go_path_, "."));
  }
  std::string sentence(std::string_view said, std::string_view type) const {
    const std::string place = where();
    if (place.empty())
      return fmt::format("json: cannot unmarshal {} into Go value of type {}", said, type);
    return fmt::format("json: cannot unmarshal {} into Go struct field {} of type {}", said, place,
                       type);
  }
  /// Go goes on after a type error and reports the first; so do we, with a zero in its place.
  void refuse(Value& value, const Schema& schema, std::string_view said) {
    if (!complaint_) complaint_ = sentence(said, go_type_name(schema));
    value = zero(schema);
  }
  void refuse(Value& value, const Schema& schema) { refuse(value, schema, json_word(value)); }
  /// The same from inside an UnmarshalJSON method, which ends the decoding.
  Error stop(const Value& value, std::string_view type) const {
    std::string said(json_word(value));
    if (value.is_number() && type == "int32") said += " " + number_literal(value);
    return Error(Fault::Invalid, sentence(said, type));
  }

  Value zero(const Schema& schema) {
    if (schema.go_pointer) return nullptr;
    switch (schema.go) {
      case GoType::String:
        return boost::json::string();
      case GoType::Bool:
        return false;
      case GoType::Int32:
      case GoType::Int64:
      case GoType::IntOrString:
        return int64_t{0};
      case GoType::Float64:
        return 0.0;
      case GoType::Quantity:
        return "0";
      case GoType::JsonSchemaOrBool:
        return false;
      case GoType::Struct: {
        Object empty;
        print(empty, *schema.shape, {});
        return empty;
      }
      default:
        return nullptr;
    }
  }

  Result<void> take(Value& value, const Schema& schema) {
    if (value.is_null()) {
      value = zero(schema);
      return ok();
    }
    switch (schema.go) {
      case GoType::Struct:
        return take_struct(value, schema);
      case GoType::StringMap:
        return take_map(value, schema);
      case GoType::Slice:
      case GoType::StringList:
        return take_slice(value, schema);
      case GoType::String:
        if (!value.is_string()) refuse(value, schema);
        return ok();
      case GoType::Bool:
        if (!value.is_bool()) refuse(value, schema);
        return ok();
      case GoType::Int32:
      case GoType::Int64:
      case GoType::Float64:
        take_number(value, schema);
        return ok();
      case GoType::Bytes:
        take_bytes(value, schema);
        return ok();
      case GoType::Time:
      case GoType::MicroTime:
        return take_time(value, schema.go == GoType::MicroTime);
      case GoType::Quantity:
        return take_quantity(value);
      case GoType::IntOrString:
        return take_int_or_string(value);
      case GoType::JsonSchemaOrBool:
      case GoType::JsonSchemaOrArray:
      case GoType::JsonSchemaOrStringArray:
        return take_json_schema(value, schema);
      default:
        return ok();  // raw JSON stays as it is
    }
  }

  Result<void> take_struct(Value& value, const Schema& schema) {
    if (!value.is_object()) {
      refuse(value, schema);
      return ok();
    }
    const Shape& shape = *schema.shape;
    const std::string_view outer = struct_;
    const size_t length = path_.size();
    std::vector<Value*> members(shape.fields.size(), nullptr);
    for (auto& member : value.get_object()) {
      const Field* field = shape.find(key_of(member));
      if (!path_.empty()) path_ += '.';
      path_ += key_of(member);
      if (field) {
        struct_ = go_struct_name(shape);
        go_path_.push_back(field->name);
        HF_TRY(take(member.value(), field->schema));
        go_path_.pop_back();
        members[static_cast<size_t>(field - shape.fields.data())] = &member.value();
      } else if (!quiet_) {
        decoded_.unknown.push_back(path_);
      }
      path_.resize(length);
      struct_ = outer;
    }
    Object printed;
    print(printed, shape, members);
    value = std::move(printed);
    return ok();
  }

  /// Members in the shape's order; `members` are the decoded ones by position, null pointers or
  /// nothing for zero values.
  void print(Object& out, const Shape& shape, const std::vector<Value*>& members) {
    out.reserve(members.size());
    for (size_t i = 0; i < shape.fields.size(); ++i) {
      const Field& field = shape.fields[i];
      if (field.inlined) continue;
      Value* given = members.empty() ? nullptr : members[i];
      if (!given && zero_is_omitted(field)) continue;
      Value value = given ? std::move(*given) : zero(field.schema);
      if (!is_omitted(value, field)) out.emplace(field.name, std::move(value));
    }
  }

  Result<void> take_map(Value& value, const Schema& schema) {
    if (!value.is_object()) {
      refuse(value, schema);
      return ok();
    }
    Object& object = value.get_object();
    const size_t length = path_.size();
    std::vector<boost::json::key_value_pair*> order;
    for (auto& member : object) {
      if (!path_.empty()) path_ += '.';
      path_ += key_of(member);
      HF_TRY(take(member.value(), *schema.items));
      if (member.value().is_null()) member.value() = stored_nothing(*schema.items);
      path_.resize(length);
      order.push_back(&member);
    }
    if (object.empty()) {
      value = nullptr;
      return ok();
    }
    auto before = [](auto* a, auto* b) { return key_of(*a) < key_of(*b); };
    if (!std::is_sorted(order.begin(), order.end(), before)) {
      std::sort(order.begin(), order.end(), before);
      Object sorted;
      sorted.reserve(order.size());
      for (auto* member : order) sorted.emplace(member->key(), std::move(member->value()));
      value = std::move(sorted);
    }
    return ok();
  }

  Result<void> take_slice(Value& value, const Schema& schema) {
    if (!value.is_array()) {
      refuse(value, schema);
      return ok();
    }
    const size_t length = path_.size();
    size_t at = 0;
    for (Value& element : value.get_array()) {
      path_ += fmt::format("[{}]", at++);
      HF_TRY(take(element, *schema.items));
      path_.resize(length);
    }
    if (value.get_array().empty()) value = nullptr;
    return ok();
  }

  void take_number(Value& value, const Schema& schema) {
    if (!value.is_number()) return refuse(value, schema);
    if (schema.go == GoType::Float64) {
      value = value.to_number<double>();
      return;
    }
    const bool fits =
        value.is_int64() && (schema.go == GoType::Int64 ||
                             value.get_int64() == static_cast<int32_t>(value.get_int64()));
    if (!fits) refuse(value, schema, "number " + number_literal(value));
  }

  void take_bytes(Value& value, const Schema& schema) {
    if (value.is_array()) return take_byte_numbers(value);
    if (!value.is_string()) return refuse(value, schema);
    auto bytes = go_base64(view(value.get_string()));
    if (bytes) {
      value = base64(*bytes);
      return;
    }
    if (!complaint_) complaint_ = bytes.error().what();
    value = zero(schema);
  }

  /// Go reads a list of numbers into a byte slice too.
  void take_byte_numbers(Value& value) {
    std::string bytes;
    for (const Value& element : value.get_array()) {
      const bool fits =
          element.is_int64() && element.get_int64() >= 0 && element.get_int64() <= 255;
      if (!fits && !element.is_null() && !complaint_) {
        std::string said(json_word(element));
        if (element.is_number()) said += " " + number_literal(element);
        complaint_ = sentence(said, "uint8");
      }
      bytes += fits ? static_cast<char>(element.get_int64()) : '\0';
    }
    value = base64(bytes);
  }

  Result<void> take_time(Value& value, bool micro) {
    if (!value.is_string()) return stop(value, "string");
    GoTime time = HF_TRY(go_time(view(value.get_string()), micro));
    if (time.seconds == kZeroTimeSeconds && time.nanos == 0)
      value = nullptr;
    else
      value = go_time_text(time, micro);
    return ok();
  }

  static Result<void> take_quantity(Value& value) {
    std::string text = value.is_string() ? std::string(view(value.get_string())) : to_json(value);
    value = HF_TRY(Quantity::parse(trim(text))).text();
    return ok();
  }

  Result<void> take_int_or_string(Value& value) {
    if (value.is_string()) return ok();
    if (value.is_int64() && value.get_int64() == static_cast<int32_t>(value.get_int64()))
      return ok();
    return stop(value, "int32");
  }

  /// The three types of JSON Schema that are one of two things. Their methods decode what is inside
  /// on their own: without strictness, and any error in there ends it all.
  Result<void> take_json_schema(Value& value, const Schema& schema) {
    const bool list = value.is_array() && schema.go != GoType::JsonSchemaOrBool;
    if (!value.is_object() && !list) {
      if (schema.go != GoType::JsonSchemaOrBool) value = nullptr;
      if (value.is_bool() || value.is_null()) return ok();
      return Error(Fault::Invalid, "boolean or JSON schema expected");
    }
    Schema element;
    element.go =
        list && schema.go == GoType::JsonSchemaOrStringArray ? GoType::String : GoType::Struct;
    element.shape = schema.shape;
    Schema whole;
    whole.go = GoType::Slice;
    whole.items = &element;
    const bool outermost = fixed_where_.empty();
    if (outermost) fixed_where_ = where();
    const bool was_quiet = std::exchange(quiet_, true);
    std::optional<std::string> earlier = std::exchange(complaint_, std::nullopt);
    HF_TRY(take(value, list ? whole : element));
    if (complaint_) return Error(Fault::Invalid, std::move(*complaint_));
    complaint_ = std::move(earlier);
    quiet_ = was_quiet;
    if (outermost) fixed_where_.clear();
    return ok();
  }

  std::vector<std::string_view> go_path_;
  std::string_view struct_;
  std::string path_;  ///< with indices and keys, as strict decoding names unknown members
  bool quiet_ = false;
  std::string fixed_where_;
  std::optional<std::string> complaint_;  ///< the first type error
  Decoded decoded_;
};

}  // namespace

Result<Decoded> decode_typed(Value& object, const Schema& schema) {
  return Decoder().run(object, schema);
}

}  // namespace holdfast::model
