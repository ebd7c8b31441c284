/// Validation of each version: schema, subresources, printer columns, selectable fields.
#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/model/names.h>
#include <holdfast/model/structural.h>

#include "crd/definition_checks.h"
#include "crd/json_path.h"

#include <algorithm>
#include <set>

namespace holdfast::apiserver {

using model::child;
using model::FieldErrors;
using model::Value;

namespace {

constexpr size_t kMostSelectableFields = 8;
constexpr const char* kColumnTypes = "boolean,date,integer,number,string";
constexpr const char* kColumnFormats = "byte,date,date-time,double,float,int32,int64,password";

bool among(std::string_view word, std::string_view list) {
  const auto words = split(list, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

void check_schema(const Value& schema, bool status, const std::string& path, FieldErrors& errors) {
  const std::string_view type = model::string_at(schema, {"type"});
  if (status && !type.empty() && type != "object")
    errors.push_back(
        model::invalid_field(child(path, "type"), Value(type),
                             "only \"object\" is allowed as the type at the root of the schema if "
                             "the status subresource is enabled"));
  else if (status && has_more_than_status_allows(schema))
    errors.push_back(model::invalid_field(
        path, internal_schema(schema),
        "only " + allowed_beside_status() +
            " fields are allowed at the root of the schema if the status subresource is enabled"));
  model::build_structural(schema, path, errors);
}

/// Empty if `path` is fine where it stands.
std::string simple_path_complaint(std::string_view path) {
  if (path.empty()) return "must not be empty";
  return path.starts_with('.') ? "" : "must be a simple json path starting with .";
}

void check_scale_path(const Value& scale, const char* name, std::vector<std::string_view> under,
                      const std::string& path, FieldErrors& errors) {
  const std::string where = child(path, std::string("scale.") + name);
  const std::string_view text = model::string_at(scale, {name});
  const bool optional = under.size() > 1;
  if (text.empty()) {
    if (!optional) errors.push_back(model::required_field(where, ""));
    return;
  }
  const std::string complaint = simple_path_complaint(text);
  const bool inside = std::any_of(under.begin(), under.end(), [&](std::string_view parent) {
    return text.starts_with(std::string(parent) + ".");
  });
  if (!complaint.empty())
    errors.push_back(model::invalid_field(where, Value(text), complaint));
  else if (!inside)
    errors.push_back(model::invalid_field(
        where, Value(text),
        optional ? std::string("should be a json path under either .spec or .status")
                 : "should be a json path under " + std::string(under[0])));
}

void check_subresources(const Value& version, const std::string& path, FieldErrors& errors) {
  const Value* scale = model::find(version, {"subresources", "scale"});
  if (!scale || !scale->is_object()) return;
  check_scale_path(*scale, "specReplicasPath", {".spec"}, path, errors);
  check_scale_path(*scale, "statusReplicasPath", {".status"}, path, errors);
  check_scale_path(*scale, "labelSelectorPath", {".spec", ".status"}, path, errors);
}

void check_column(const Value& column, const std::string& path, FieldErrors& errors) {
  const std::string types = std::string("must be one of ") + kColumnTypes;
  const std::string_view type = model::string_at(column, {"type"});
  const std::string_view format = model::string_at(column, {"format"});
  const std::string_view json_path = model::string_at(column, {"jsonPath"});
  if (model::string_at(column, {"name"}).empty())
    errors.push_back(model::required_field(child(path, "name"), ""));
  if (type.empty())
    errors.push_back(model::required_field(child(path, "type"), types));
  else if (!among(type, kColumnTypes))
    errors.push_back(model::invalid_field(child(path, "type"), Value(type), types));
  if (!format.empty() && !among(format, kColumnFormats))
    errors.push_back(model::invalid_field(child(path, "format"), Value(format),
                                          std::string("must be one of ") + kColumnFormats));
  if (json_path.empty())
    errors.push_back(model::required_field(child(path, "JSONPath"), ""));
  else if (const std::string complaint = simple_path_complaint(json_path); !complaint.empty())
    errors.push_back(model::invalid_field(child(path, "JSONPath"), Value(json_path), complaint));
}

void check_columns(const Value& version, const std::string& path, FieldErrors& errors) {
  const model::Array& columns = model::array_at(version, {"additionalPrinterColumns"});
  for (size_t i = 0; i < columns.size(); ++i) check_column(columns[i], model::at(path, i), errors);
}

/// Follows a path of members through a schema as written. Returns what is wrong with it, or "".
std::string follow(std::string_view path, const Value& root, const Value*& end) {
  end = &root;
  size_t at = 0;
  while (at < path.size()) {
    if (path[at] == '[') return "array notation is not allowed";
    const size_t next = path.find_first_of(".[]", at);
    if (next != at || path[at] != '.')
      return "expected [ or . but got: " + std::string(path.substr(at, next == at ? 1 : next - at));
    if (++at == path.size()) return "unexpected end of JSON path";
    const size_t stop = std::min(path.find_first_of(".[]", at), path.size());
    // A second delimiter counts as a name, which no schema has.
    const std::string_view name = path.substr(at, stop == at ? 1 : stop - at);
    at += name.size();
    const Value* properties = model::find(*end, {"properties"});
    const Value* more = model::find(*end, {"additionalProperties"});
    if (properties && properties->is_object() && !properties->get_object().empty())
      end = model::find(*properties, {name});
    else
      end = more && more->is_object() ? more : nullptr;
    if (!end) return "does not refer to a valid field";
  }
  return "";
}

void check_selectable(const Value& version, const std::string& path, FieldErrors& errors) {
  const model::Array& fields = model::array_at(version, {"selectableFields"});
  const Value* schema = model::find(version, {"schema", "openAPIV3Schema"});
  if (fields.empty() || !schema) return;
  std::set<std::string, std::less<>> seen;
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string where = child(model::at(path, i), "jsonPath");
    const std::string_view text = model::string_at(fields[i], {"jsonPath"});
    const Value* end = nullptr;
    const std::string complaint = follow(text, *schema, end);
    if (text.empty() || !complaint.empty()) {
      errors.push_back(text.empty() ? model::required_field(where, "")
                                    : model::invalid_field(where, Value(text),
                                                           "is an invalid path: " + complaint));
      continue;
    }
    if (simple_path(text).front() == "metadata")
      errors.push_back(
          model::invalid_field(where, Value(text), "must not point to fields in metadata"));
    if (!among(model::string_at(*end, {"type"}), "string,boolean,integer"))
      errors.push_back(model::invalid_field(
          where, Value(text),
          "must point to a field of type string, boolean or integer. Enum string fields and "
          "strings with formats are allowed."));
    if (!seen.emplace(text).second) errors.push_back(model::duplicate_field(where, Value(text)));
  }
  if (seen.size() > kMostSelectableFields)
    errors.push_back(
        model::too_many_field(path, int64_t(seen.size()), int64_t(kMostSelectableFields)));
}

void check_deprecation(const Value& version, const std::string& path, FieldErrors& errors) {
  const Value* warning = model::find(version, {"deprecationWarning"});
  if (!warning || !warning->is_string()) return;
  auto complain = [&](const char* detail) {
    errors.push_back(model::invalid_field(child(path, "deprecationWarning"), *warning, detail));
  };
  if (!model::bool_at(version, {"deprecated"}, false))
    return complain("can only be set for deprecated versions");
  const std::string_view text = model::view(warning->get_string());
  if (text.size() > 256) complain("must be <= 256 characters long");
  if (text.empty()) complain("must not be an empty string");
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (control != text.end())
    complain(("must only contain printable UTF-8 characters; non-printable character found at "
              "index " +
              std::to_string(control - text.begin()))
                 .c_str());
}

bool has_status(const Value& version) {
  const Value* status = model::find(version, {"subresources", "status"});
  return status && !status->is_null();
}

}  // namespace

void check_versions(const Value& definition, const Hoisted& hoisted, FieldErrors& errors) {
  const model::Array& versions = model::array_at(definition, {"spec", "versions"});
  for (size_t i = 0; i < versions.size(); ++i) {
    const Value& version = versions[i];
    const std::string path = model::at("spec.versions", i);
    const std::string_view name = model::string_at(version, {"name"});
    if (const auto complaints = model::check_dns1035_label(name); !complaints.empty())
      errors.push_back(
          model::invalid_field(child(path, "name"), Value(name), join(complaints, ",")));
    check_deprecation(version, path, errors);
    const Value* schema = model::find(version, {"schema", "openAPIV3Schema"});
    if (!hoisted.schema && schema && schema->is_object())
      check_schema(*schema, has_status(version), path + ".schema.openAPIV3Schema", errors);
    if (!hoisted.subresources) check_subresources(version, child(path, "subresources"), errors);
    if (!hoisted.columns) check_columns(version, child(path, "additionalPrinterColumns"), errors);
    if (!hoisted.selectable_fields)
      check_selectable(version, child(path, "selectableFields"), errors);
  }
}

void check_hoisted(const Value& definition, const Hoisted& hoisted, FieldErrors& errors) {
  const model::Array& versions = model::array_at(definition, {"spec", "versions"});
  if (versions.empty()) return;
  const Value& first = versions.front();
  const bool status = std::any_of(versions.begin(), versions.end(), has_status);
  const Value* schema = model::find(first, {"schema", "openAPIV3Schema"});
  if (hoisted.schema && schema && schema->is_object())
    check_schema(*schema, status, "spec.validation.openAPIV3Schema", errors);
  if (hoisted.subresources) check_subresources(first, "spec.subresources", errors);
  if (hoisted.columns) check_columns(first, "spec.additionalPrinterColumns", errors);
  if (hoisted.selectable_fields) check_selectable(first, "spec.selectableFields", errors);
}

}  // namespace holdfast::apiserver
