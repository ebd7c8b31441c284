// Reading of kinds.table. Two passes: the first makes a shape for each name, so that the second can
// point at shapes that stand further down or contain themselves.
#include "kinds/table.h"

#include <holdfast/base/text.h>

#include <boost/json/parse.hpp>
#include <fmt/format.h>

#include <charconv>

// NOLINTBEGIN(readability-identifier-naming): the names are the assembler file's
extern "C" const char holdfast_kinds_table[];
extern "C" const char holdfast_kinds_table_end[];
// NOLINTEND(readability-identifier-naming)

namespace holdfast::model {

namespace {

struct Scalar {
  std::string_view word;
  Type type;
  GoType go;
  std::string_view format;
};

constexpr Scalar kScalars[] = {
    {"string", Type::String, GoType::String, ""},
    {"bool", Type::Boolean, GoType::Bool, ""},
    {"int32", Type::Integer, GoType::Int32, "int32"},
    {"int64", Type::Integer, GoType::Int64, "int64"},
    {"float64", Type::Number, GoType::Float64, "double"},
    {"bytes", Type::String, GoType::Bytes, "byte"},
    {"Time", Type::String, GoType::Time, "date-time"},
    {"MicroTime", Type::String, GoType::MicroTime, "date-time"},
    {"Quantity", Type::String, GoType::Quantity, ""},
    {"IntOrString", Type::IntOrString, GoType::IntOrString, "int-or-string"},
    {"RawExtension", Type::Any, GoType::RawExtension, ""},
    {"FieldsV1", Type::Any, GoType::FieldsV1, ""},
    {"JSON", Type::Any, GoType::Json, ""},
    {"JSONSchemaPropsOrBool", Type::Any, GoType::JsonSchemaOrBool, ""},
    {"JSONSchemaPropsOrArray", Type::Any, GoType::JsonSchemaOrArray, ""},
    {"JSONSchemaPropsOrStringArray", Type::Any, GoType::JsonSchemaOrStringArray, ""},
    {"StringList", Type::Array, GoType::StringList, ""},
};

Error bad(std::string_view what, std::string_view word) {
  return Error(Fault::Invalid, fmt::format("{} {}", what, word));
}

bool is_json_schema(GoType go) {
  return go == GoType::JsonSchemaOrBool || go == GoType::JsonSchemaOrArray ||
         go == GoType::JsonSchemaOrStringArray;
}

MapType map_type_of(std::string_view word) {
  return word == "atomic" ? MapType::Atomic : MapType::Granular;
}

ListType list_type_of(std::string_view word) {
  if (word == "map") return ListType::Map;
  return word == "set" ? ListType::Set : ListType::Atomic;
}

uint8_t patch_strategy_of(std::string_view word) {
  int bits = kPatchUnset;
  for (std::string_view part : split(word, ',')) {
    if (part == "merge") bits |= kPatchMerge;
    if (part == "retainKeys") bits |= kPatchRetainKeys;
    if (part == "replace") bits |= kPatchReplace;
  }
  return static_cast<uint8_t>(bits);
}

/// Calls `use` with each line that is no comment, split into words.
template <class Use>
Result<void> each_line(std::string_view text, Use use) {
  std::vector<std::string_view> words;
  for (size_t at = 0, number = 1; at < text.size(); ++number) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty() || line[0] == '#') continue;
    words.clear();
    for (size_t from = 0; from <= line.size();) {
      size_t space = std::min(line.find(' ', from), line.size());
      words.push_back(line.substr(from, space - from));
      from = space + 1;
    }
    if (auto done = use(words); !done)
      return done.take_error().with_context(fmt::format("line {} of the table of kinds", number));
  }
  return ok();
}

}  // namespace

std::string_view kinds_table() {
  return {holdfast_kinds_table,
          static_cast<size_t>(holdfast_kinds_table_end - holdfast_kinds_table)};
}

Result<std::vector<TableReader::Kind>> TableReader::read() {
  HF_TRY(name_shapes());
  std::vector<Kind> kinds;
  auto take = [&](const Words& words) -> Result<void> {
    if (words[0] == "P") return ok();
    if (words[0] == "S") {
      if (current_) current_->index();
      current_ = shapes_.at(words[1]);
      return ok();
    }
    if (words[0] != "K") return add_field(words);
    kinds.push_back(HF_TRY(kind_of(words)));
    return ok();
  };
  HF_TRY(each_line(text_, take));
  if (current_) current_->index();
  settle_map_types();
  return kinds;
}

Result<void> TableReader::name_shapes() {
  return each_line(text_, [&](const Words& words) -> Result<void> {
    if (words[0] == "P" && words.size() == 3) packages_[words[1]] = words[2];
    return words[0] == "S" ? begin_shape(words) : ok();
  });
}

Result<void> TableReader::begin_shape(const Words& words) {
  if (words.size() < 2) return bad("shape without a name", words[0]);
  size_t dot = words[1].find('.');
  auto package = packages_.find(words[1].substr(0, dot));
  if (dot == std::string_view::npos || package == packages_.end())
    return bad("no package for", words[1]);
  Shape& shape = arena_.shapes.emplace_back();
  shape.name = fmt::format("{}{}", package->second, words[1].substr(dot));
  if (!shapes_.emplace(words[1], &shape).second) return bad("second shape", words[1]);
  if (words.size() > 2 && words[2].starts_with("m="))
    map_types_[&shape] = map_type_of(words[2].substr(2));
  return ok();
}

Result<void> TableReader::add_field(const Words& words) {
  if (!current_ || words.size() < 4) return bad("stray line", words[0]);
  Field& field = current_->fields.emplace_back();
  field.inlined = words[0][0] == '.';
  field.name = words[0].substr(field.inlined ? 1 : 0);
  auto [end, error] =
      std::from_chars(words[1].data(), words[1].data() + words[1].size(), field.tag);
  if (error != std::errc{} || end != words[1].data() + words[1].size())
    return bad("bad tag", words[1]);
  field.omit_empty = words[2].find('o') != std::string_view::npos;
  field.omit_zero = words[2].find('z') != std::string_view::npos;
  field.schema = HF_TRY(type_of(words[3]));
  for (size_t i = 4; i < words.size(); ++i) HF_TRY(add_word(field, *current_, words[i]));
  return ok();
}

Result<void> TableReader::add_word(Field& field, Shape& shape, std::string_view word) {
  if (word == "r") {
    shape.required.push_back(field.name);
    return ok();
  }
  if (word.size() < 2 || word[1] != '=') return bad("unknown word", word);
  Schema& schema = field.schema;
  std::string_view value = word.substr(2);
  switch (word[0]) {
    case 'p':
      schema.patch_strategy = patch_strategy_of(value);
      break;
    case 'k':
      schema.patch_merge_key = value;
      break;
    case 'l':
      schema.list_type = list_type_of(value);
      break;
    case 'K':
      for (std::string_view key : split(value, ',')) schema.list_keys.emplace_back(key);
      break;
    case 'm':
      schema.map_type = map_type_of(value);
      break;
    case 'e':
      add_enum(schema, value);
      break;
    case 'f':
      schema.format = value;
      break;
    case 'd': {
      boost::json::error_code error;
      schema.default_value = boost::json::parse({value.data(), value.size()}, error);
      if (error) return bad("bad default", value);
      break;
    }
    default:
      return bad("unknown word", word);
  }
  return ok();
}

void TableReader::add_enum(Schema& schema, std::string_view values) {
  Limits& limits = arena_.limits.emplace_back();
  for (std::string_view value : split(values, '|'))
    limits.enum_values.emplace_back(boost::json::string_view(value.data(), value.size()));
  schema.limits = &limits;
}

Result<Schema> TableReader::type_of(std::string_view word) {
  Schema schema;
  if (word.starts_with('*')) {
    schema = HF_TRY(type_of(word.substr(1)));
    schema.go_pointer = true;
    return schema;
  }
  if (word.starts_with("[]") || word.starts_with("{}")) {
    bool list = word[0] == '[';
    schema.type = list ? Type::Array : Type::Map;
    schema.go = list ? GoType::Slice : GoType::StringMap;
    schema.items = HF_TRY(element(word.substr(2)));
    return schema;
  }
  if (size_t equals = word.find('='); equals != std::string_view::npos) {
    schema = HF_TRY(type_of(word.substr(equals + 1)));
    schema.go_name = word.substr(0, equals);
    return schema;
  }
  for (const Scalar& scalar : kScalars) {
    if (scalar.word != word) continue;
    schema.type = scalar.type;
    schema.go = scalar.go;
    schema.format = scalar.format;
    if (scalar.go == GoType::StringList) schema.items = HF_TRY(element("string"));
    if (is_json_schema(scalar.go)) schema.shape = shapes_.at("apiextensions.JSONSchemaProps");
    return schema;
  }
  auto shape = shapes_.find(word);
  if (shape == shapes_.end()) return bad("unknown type", word);
  schema.type = Type::Object;
  schema.go = GoType::Struct;
  schema.shape = shape->second;
  return schema;
}

Result<const Schema*> TableReader::element(std::string_view word) {
  if (auto known = elements_.find(word); known != elements_.end()) return known->second;
  Schema schema = HF_TRY(type_of(word));
  const Schema* stored = &arena_.schemas.emplace_back(std::move(schema));
  elements_.emplace(word, stored);
  return stored;
}

Result<TableReader::Kind> TableReader::kind_of(const Words& words) const {
  if (words.size() != 5) return bad("bad kind", words[0]);
  auto shape = shapes_.find(words[4]);
  if (shape == shapes_.end()) return bad("unknown shape", words[4]);
  std::string_view group = words[1] == "-" ? std::string_view() : words[1];
  return Kind{std::string(group), std::string(words[2]), std::string(words[3]), shape->second};
}

/// An atomic struct is atomic wherever it stands, as the server's documents say it on the type.
void TableReader::settle_map_types() {
  auto settle = [&](Schema& schema) {
    auto known = map_types_.find(schema.shape);
    if (schema.type == Type::Object && known != map_types_.end() &&
        schema.map_type == MapType::Unset)
      schema.map_type = known->second;
  };
  for (Shape& shape : arena_.shapes)
    for (Field& field : shape.fields) settle(field.schema);
  for (Schema& schema : arena_.schemas) settle(schema);
}

}  // namespace holdfast::model
