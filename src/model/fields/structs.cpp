/// The three walks over the fields of a struct: write, read, describe.
#include <holdfast/model/field_error.h>
#include <holdfast/model/fields.h>

#include "structural/edit_rules.h"

namespace holdfast::model::field_types {
namespace {

using Presence = FieldVisitor::Presence;

class Writer final : public FieldVisitor {
 public:
  explicit Writer(Object& out) : out_(out) {}

 private:
  void visit(const Entry& entry) override {
    if (entry.presence == Presence::Optional && entry.type->empty(entry.field)) return;
    entry.type->encode(entry.field, out_[entry.name]);
  }
  Object& out_;
};

class Reader final : public FieldVisitor {
 public:
  Reader(const Object& in, const std::string& path) : in_(in), path_(path) {}
  Result<void> take() { return std::move(result_); }

 private:
  void visit(const Entry& entry) override {
    if (!result_) return;
    const Value* value = in_.if_contains(entry.name);
    if (value && !value->is_null()) {
      result_ = entry.type->decode(entry.field, *value, child(path_, entry.name));
    } else if (entry.presence == Presence::Required) {
      result_ = Error(Fault::Invalid, child(path_, entry.name) + ": is required");
    } else if (entry.presence == Presence::Defaulted) {
      Value standard;
      entry.type->encode(entry.default_value, standard);
      result_ = entry.type->decode(entry.field, standard, child(path_, entry.name));
    }
  }
  const Object& in_;
  const std::string& path_;
  Result<void> result_;
};

Value number(double limit) {
  return double(int64_t(limit)) == limit ? Value(int64_t(limit)) : Value(limit);
}

void add_limits(const FieldLimits& limits, Object& schema) {
  if (limits.minimum) schema["minimum"] = number(*limits.minimum);
  if (limits.maximum) schema["maximum"] = number(*limits.maximum);
  if (limits.min_length) schema["minLength"] = *limits.min_length;
  if (limits.max_length) schema["maxLength"] = *limits.max_length;
  if (limits.pattern) schema["pattern"] = limits.pattern;
  if (limits.format) schema["format"] = limits.format;
}

void add_rule(Object& schema, Object rule) {
  Value& rules = schema[structural::kValidations];
  if (rules.is_null()) rules.emplace_array();
  rules.get_array().push_back(std::move(rule));
}

class Describer final : public FieldVisitor {
 public:
  explicit Describer(Object& schema) : schema_(schema) {}
  void finish() {
    schema_["type"] = "object";
    if (!required_.empty()) schema_["required"] = std::move(required_);
    if (!properties_.empty()) schema_["properties"] = std::move(properties_);
    for (const char* name : comes_and_goes_) add_rule(schema_, structural::rule_at_parent(name));
  }

 private:
  void visit(const Entry& entry) override {
    Object property{{"description", entry.doc}};
    entry.type->describe(property);
    add_limits(*entry.limits, property);
    if (entry.presence == Presence::Required) required_.emplace_back(entry.name);
    if (entry.presence == Presence::Defaulted)
      entry.type->encode(entry.default_value, property["default"]);
    if (entry.limits->immutable) {
      if (entry.presence == Presence::Optional)
        comes_and_goes_.push_back(entry.name);
      else
        add_rule(property, structural::rule_at_field(entry.name));
    }
    properties_[entry.name] = std::move(property);
  }
  Object& schema_;
  Object properties_;
  Array required_;
  std::vector<const char*> comes_and_goes_;  ///< and does not change otherwise
};

}  // namespace

void encode_struct(const void* object, Visit visit, Value& out) {
  Writer writer(out.emplace_object());
  // One `fields` serves reading and writing, so it cannot be const; the writer only looks.
  visit(const_cast<void*>(object), writer);
}

Result<void> decode_struct(void* object, Visit visit, const Value& in, const std::string& path) {
  if (!in.is_object()) return wrong_type(path, "an object", in);
  Reader reader(in.get_object(), path);
  visit(object, reader);
  return reader.take();
}

void describe_struct(void* object, Visit visit, Object& schema) {
  Describer describer(schema);
  visit(object, describer);
  describer.finish();
}

bool empty_struct(const void* object, Visit visit) {
  Value out;
  encode_struct(object, visit, out);
  return out.get_object().empty();
}

Result<void> decode_part(const Value& object, const char* name, const FieldType& type, void* out) {
  const Value* part = find(object, {name});
  const Value none = Object();
  // A status that nobody wrote yet has no fields at all, required or not.
  const bool absent = !part || part->is_null();
  if (absent && std::string_view(name) == "status") return ok();
  return type.decode(out, absent ? none : *part, name);
}

Value start_object(const Kind& kind) {
  return Object{{"apiVersion",
                 GroupVersion{std::string(kind.group), std::string(kind.version)}.api_version()},
                {"kind", kind.kind}};
}

void encode_part(Value& object, const char* name, const FieldType& type, const void* part) {
  Value out;
  type.encode(part, out);
  if (std::string_view(name) == "status" && out.get_object().empty()) return;
  object.as_object()[name] = std::move(out);
}

}  // namespace holdfast::model::field_types
