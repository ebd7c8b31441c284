/// The field types that are not made of others, and what the templates of the door call.
#include <holdfast/base/text.h>
#include <holdfast/model/field_error.h>
#include <holdfast/model/fields.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace holdfast::model::field_types {
namespace {

bool never_empty(const void*) { return false; }

template <class T>
T& as(void* value) {
  return *static_cast<T*>(value);
}
template <class T>
const T& as(const void* value) {
  return *static_cast<const T*>(value);
}

Result<void> decode_string(void* value, const Value& in, const std::string& path) {
  if (!in.is_string()) return wrong_type(path, "a string", in);
  as<std::string>(value) = view(in.get_string());
  return ok();
}

Result<void> decode_bool(void* value, const Value& in, const std::string& path) {
  if (!in.is_bool()) return wrong_type(path, "true or false", in);
  as<bool>(value) = in.get_bool();
  return ok();
}

/// JSON has one kind of number: 3.0 is an integer too.
std::optional<int64_t> whole(const Value& in) {
  if (in.is_int64()) return in.get_int64();
  if (!in.is_double()) return {};
  const double number = in.get_double();
  if (std::trunc(number) != number || std::abs(number) > 9007199254740991.0) return {};
  return int64_t(number);
}

Result<void> decode_int64(void* value, const Value& in, const std::string& path) {
  const auto number = whole(in);
  if (!number) return wrong_type(path, "an integer", in);
  as<int64_t>(value) = *number;
  return ok();
}

Result<void> decode_int32(void* value, const Value& in, const std::string& path) {
  const auto number = whole(in);
  if (!number || *number > std::numeric_limits<int32_t>::max() ||
      *number < std::numeric_limits<int32_t>::min())
    return wrong_type(path, "an integer of 32 bits", in);
  as<int32_t>(value) = int32_t(*number);
  return ok();
}

Result<void> decode_double(void* value, const Value& in, const std::string& path) {
  if (!in.is_number()) return wrong_type(path, "a number", in);
  as<double>(value) = in.to_number<double>();
  return ok();
}

Result<void> decode_any(void* value, const Value& in, const std::string&) {
  as<Value>(value) = in;
  return ok();
}

void encode_condition(const void* value, Value& out) {
  const auto& condition = as<Condition>(value);
  Object& object = out.emplace_object();
  object["type"] = condition.type;
  object["status"] = condition.status;
  object["reason"] = condition.reason;
  object["message"] = condition.message;
  object["lastTransitionTime"] = condition.last_transition_time;
  if (condition.observed_generation) object["observedGeneration"] = condition.observed_generation;
}

Result<void> decode_condition(void* value, const Value& in, const std::string& path) {
  if (!in.is_object()) return wrong_type(path, "an object", in);
  auto& condition = as<Condition>(value);
  condition.type = string_at(in, {"type"});
  condition.status = string_at(in, {"status"});
  condition.reason = string_at(in, {"reason"});
  condition.message = string_at(in, {"message"});
  condition.last_transition_time = string_at(in, {"lastTransitionTime"});
  condition.observed_generation = int_at(in, {"observedGeneration"}, 0);
  return ok();
}

void describe_condition(Object& schema) {
  auto text = [](const char* doc) { return Object{{"description", doc}, {"type", "string"}}; };
  Object status = text("True, False or Unknown");
  status["enum"] = Array{"True", "False", "Unknown"};
  Object when = text("time of the last change of the status");
  when["format"] = "date-time";
  schema["type"] = "object";
  schema["required"] = Array{"type", "status", "lastTransitionTime", "reason", "message"};
  schema["properties"] =
      Object{{"type", text("type of the condition, in CamelCase")},
             {"status", std::move(status)},
             {"reason", text("reason as one stable word in CamelCase")},
             {"message", text("explanation as a sentence")},
             {"lastTransitionTime", std::move(when)},
             {"observedGeneration",
              Object{{"description", "metadata.generation that the condition is about"},
                     {"type", "integer"},
                     {"format", "int64"},
                     {"minimum", 0}}}};
}

}  // namespace

const FieldType kString{[](const void* v, Value& out) { out = as<std::string>(v); }, decode_string,
                        [](Object& schema) { schema["type"] = "string"; },
                        [](const void* v) { return as<std::string>(v).empty(); }};
const FieldType kBool{[](const void* v, Value& out) { out = as<bool>(v); }, decode_bool,
                      [](Object& schema) { schema["type"] = "boolean"; }, never_empty};
const FieldType kInt32{[](const void* v, Value& out) { out = int64_t(as<int32_t>(v)); },
                       decode_int32,
                       [](Object& schema) {
                         schema["type"] = "integer";
                         schema["format"] = "int32";
                       },
                       never_empty};
const FieldType kInt64{[](const void* v, Value& out) { out = as<int64_t>(v); }, decode_int64,
                       [](Object& schema) {
                         schema["type"] = "integer";
                         schema["format"] = "int64";
                       },
                       never_empty};
const FieldType kDouble{[](const void* v, Value& out) { out = as<double>(v); }, decode_double,
                        [](Object& schema) { schema["type"] = "number"; }, never_empty};
const FieldType kAny{[](const void* v, Value& out) { out = as<Value>(v); }, decode_any,
                     [](Object& schema) { schema["x-kubernetes-preserve-unknown-fields"] = true; },
                     [](const void* v) { return as<Value>(v).is_null(); }};
const FieldType kCondition{encode_condition, decode_condition, describe_condition, never_empty};

void describe_list(const FieldType& item, Object& schema) {
  Object items;
  item.describe(items);
  schema["type"] = "array";
  schema["items"] = std::move(items);
  if (&item != &kCondition) return;
  schema["x-kubernetes-list-type"] = "map";
  schema["x-kubernetes-list-map-keys"] = Array{"type"};
}

void describe_map(const FieldType& item, Object& schema) {
  Object items;
  item.describe(items);
  schema["type"] = "object";
  schema["additionalProperties"] = std::move(items);
}

void describe_words(const std::vector<std::string>& words, Object& schema) {
  schema["type"] = "string";
  Array list;
  for (const std::string& word : words) list.emplace_back(word);
  schema["enum"] = std::move(list);
}

Error wrong_type(const std::string& path, const char* wanted, const Value& found) {
  constexpr size_t kShown = 40;
  std::string shown = to_json(found);
  if (shown.size() > kShown) {
    shown.resize(kShown);
    shown += "…";
  }
  return Error(Fault::Invalid, fmt::format("{}: must be {}, is {}", path, wanted, shown));
}

Error unknown_word(const std::string& path, const Value& found,
                   const std::vector<std::string>& known) {
  return wrong_type(path, fmt::format("one of {}", join(known, ", ")).c_str(), found);
}

std::string item_path(const std::string& path, size_t index) { return at(path, index); }
std::string member_path(const std::string& path, std::string_view name) {
  return child(path, name);
}

Value& append(Value& list) { return list.as_array().emplace_back(nullptr); }
Value& member(Value& object, std::string_view name) { return object.as_object()[name]; }
const Array* as_list(const Value& value) { return value.if_array(); }
const Object* as_object(const Value& value) { return value.if_object(); }

}  // namespace holdfast::model::field_types
