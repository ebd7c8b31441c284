#include "crd/definition.h"

#include <holdfast/base/text.h>
#include <holdfast/model/names.h>
#include <holdfast/model/structural.h>

#include "crd/definition_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::apiserver {

using model::child;
using model::FieldErrors;
using model::Value;

namespace {

const Value kNothing;

std::string_view storage_version(const Value& definition) {
  for (const Value& version : model::array_at(definition, {"spec", "versions"}))
    if (model::bool_at(version, {"storage"}, false)) return model::string_at(version, {"name"});
  return {};
}

void add_stored_version(Value& definition) {
  const std::string version(storage_version(definition));
  if (version.empty()) return;
  Value& stored = model::ensure_object(definition, {"status"})["storedVersions"];
  if (!stored.is_array()) stored = model::Array();
  model::Array& list = stored.get_array();
  if (std::find(list.begin(), list.end(), Value(version)) == list.end()) list.emplace_back(version);
}

void check_group(const Value& definition, FieldErrors& errors) {
  const std::string_view group = model::string_at(definition, {"spec", "group"});
  if (group.empty()) {
    errors.push_back(model::required_field("spec.group", ""));
  } else if (const auto complaints = model::check_dns1123_subdomain(group); !complaints.empty()) {
    errors.push_back(model::invalid_field("spec.group", Value(group), join(complaints, ",")));
  } else if (group.find('.') == group.npos) {
    errors.push_back(model::invalid_field("spec.group", Value(group),
                                          "should be a domain with at least one dot"));
  }
}

void check_scope(const Value& definition, FieldErrors& errors) {
  const std::string_view scope = model::string_at(definition, {"spec", "scope"});
  if (scope.empty())
    errors.push_back(model::required_field("spec.scope", ""));
  else if (scope != "Cluster" && scope != "Namespaced")
    errors.push_back(
        model::unsupported_field("spec.scope", Value(scope), {"Cluster", "Namespaced"}));
}

void check_schemas_there(const Value& definition, FieldErrors& errors) {
  const model::Array& versions = model::array_at(definition, {"spec", "versions"});
  for (size_t i = 0; i < versions.size(); ++i)
    if (const Value* schema = model::find(versions[i], {"schema", "openAPIV3Schema"});
        !schema || schema->is_null())
      errors.push_back(
          model::required_field(model::at("spec.versions", i) + ".schema.openAPIV3Schema", ""));
}

void check_version_set(const Value& definition, const Hoisted& hoisted, FieldErrors& errors) {
  const model::Array& versions = model::array_at(definition, {"spec", "versions"});
  std::set<std::string_view> names;
  int storage = 0;
  for (const Value& version : versions) {
    names.insert(model::string_at(version, {"name"}));
    if (model::bool_at(version, {"storage"}, false)) ++storage;
  }
  auto complain = [&](const char* detail) {
    errors.push_back(model::invalid_field(
        "spec.versions", internal_versions(model::find(definition, {"spec", "versions"}), hoisted),
        detail));
  };
  if (names.size() != versions.size()) complain("must contain unique version names");
  if (storage != 1) complain("must have exactly one version marked as storage version");
  if (versions.empty()) return;
  const std::string_view first = model::string_at(versions.front(), {"name"});
  if (const auto complaints = model::check_dns1035_label(first);
      !first.empty() && !complaints.empty())
    errors.push_back(model::invalid_field("spec.version", Value(first), join(complaints, ",")));
}

void check_names(const Value& definition, FieldErrors& errors) {
  const Value* names = model::find(definition, {"spec", "names"});
  if (!names) names = &kNothing;
  for (const char* name : {"plural", "singular", "kind", "listKind"})
    if (model::string_at(*names, {name}).empty())
      errors.push_back(model::required_field(child("spec.names", name), ""));
  check_definition_names(*names, "spec.names", errors);
}

void check_stored_versions(const Value& definition, FieldErrors& errors) {
  const std::string path = "status.storedVersions";
  const Value* stored = model::find(definition, {"status", "storedVersions"});
  const model::Array& list = model::array_at(definition, {"status", "storedVersions"});
  if (list.empty()) {
    errors.push_back(model::invalid_field(path, stored ? *stored : Value(),
                                          "must have at least one stored version"));
    return;
  }
  std::map<std::string_view, size_t> left;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].is_string()) left[model::view(list[i].get_string())] = i;
  for (const Value& version : model::array_at(definition, {"spec", "versions"})) {
    const std::string_view name = model::string_at(version, {"name"});
    if (left.erase(name) == 0 && model::bool_at(version, {"storage"}, false))
      errors.push_back(model::invalid_field(path, *stored,
                                            "must have the storage version " + std::string(name)));
  }
  for (const auto& [name, index] : left)
    errors.push_back(model::invalid_field(
        model::at(path, index), Value(name),
        fmt::format("missing from spec.versions; {0} was previously a storage version, and must "
                    "remain in spec.versions until a storage migration ensures no data remains "
                    "persisted in {0} and removes {0} from status.storedVersions",
                    name)));
}

void check_approval(const Value& definition, const Value* old, FieldErrors& errors) {
  const ApprovalState approval = approval_of(definition);
  if (old && approval_of(*old).state == approval.state) return;
  const std::string path = model::key("metadata.annotations", kApproved);
  if (approval.state == Approval::Missing)
    errors.push_back(model::required_field(path, approval.reason));
  if (approval.state == Approval::Invalid)
    errors.push_back(model::invalid_field(
        path, Value(model::string_at(definition, {"metadata", "annotations", kApproved})),
        approval.reason));
}

void check_spec(const Value& definition, FieldErrors& errors) {
  const Hoisted same = hoisted(model::array_at(definition, {"spec", "versions"}));
  check_group(definition, errors);
  check_scope(definition, errors);
  check_schemas_there(definition, errors);
  check_versions(definition, same, errors);
  check_version_set(definition, same, errors);
  check_names(definition, errors);
  check_hoisted(definition, same, errors);
  check_conversion(definition, errors);
}

void check_status(const Value& definition, FieldErrors& errors) {
  if (const Value* names = model::find(definition, {"status", "acceptedNames"}))
    check_definition_names(*names, "status.acceptedNames", errors);
}

void check_rest(const Value& definition, const Value* old, FieldErrors& errors) {
  check_status(definition, errors);
  check_stored_versions(definition, errors);
  check_approval(definition, old, errors);
  if (model::bool_at(definition, {"spec", "preserveUnknownFields"}, false))
    errors.push_back(model::invalid_field("spec.preserveUnknownFields", true,
                                          "cannot set to true, set "
                                          "x-kubernetes-preserve-unknown-fields to true in "
                                          "spec.versions[*].schema instead"));
}

/// `format` values of strings that nobody checks; each schema node once.
void find_formats(const Value& schema, std::vector<std::string>& out) {
  const std::string_view format = model::string_at(schema, {"format"});
  if (!format.empty() && model::string_at(schema, {"type"}) == "string" &&
      !model::knows_format(format))
    out.emplace_back(format);
  for (const char* name : {"items", "additionalProperties", "not"})
    if (const Value* inner = model::find(schema, {name})) find_formats(*inner, out);
  for (const char* name : {"allOf", "anyOf", "oneOf"})
    for (const Value& inner : model::array_at(schema, {name})) find_formats(inner, out);
  for (const auto& member : model::object_at(schema, {"properties"}))
    find_formats(member.value(), out);
}

void immutable(const Value& definition, const Value& old,
               std::initializer_list<std::string_view> path, FieldErrors& errors) {
  const std::string_view now = model::string_at(definition, path);
  if (now == model::string_at(old, path)) return;
  std::string where;
  for (std::string_view part : path) where = child(where, part);
  errors.push_back(model::invalid_field(where, Value(now), "field is immutable"));
}

}  // namespace

void default_definition(Value& definition) {
  Value* spec = model::find(definition, {"spec"});
  if (!spec || !spec->is_object()) return;
  const std::string kind(model::string_at(*spec, {"names", "kind"}));
  if (!kind.empty()) {
    model::Object& names = model::ensure_object(*spec, {"names"});
    if (model::string_at(*spec, {"names", "singular"}).empty()) names["singular"] = to_lower(kind);
    if (model::string_at(*spec, {"names", "listKind"}).empty()) names["listKind"] = kind + "List";
  }
  const Value* conversion = model::find(*spec, {"conversion"});
  if (!conversion || conversion->is_null())
    spec->get_object()["conversion"] = model::Object{{"strategy", "None"}};
  Value* service = model::find(*spec, {"conversion", "webhook", "clientConfig", "service"});
  if (service && service->is_object() && !model::find(*service, {"port"}))
    service->get_object()["port"] = 443;
}

void prepare_definition_create(Value& definition) {
  model::ensure_object(definition, {"status"}).clear();
  add_stored_version(definition);
}

void prepare_definition_update(Value& definition, const Value& old) {
  const Value* status = model::find(old, {"status"});
  if (definition.is_object()) definition.get_object()["status"] = status ? *status : Value();
  add_stored_version(definition);
}

void validate_definition(const Value& definition, FieldErrors& errors) {
  const std::string_view name = model::string_at(definition, {"metadata", "name"});
  const std::string wanted =
      std::string(model::string_at(definition, {"spec", "names", "plural"})) + "." +
      std::string(model::string_at(definition, {"spec", "group"}));
  if (name != wanted)
    errors.push_back(model::invalid_field("metadata.name", Value(name),
                                          "must be spec.names.plural+\".\"+spec.group"));
  check_spec(definition, errors);
  check_rest(definition, nullptr, errors);
}

void validate_definition_update(const Value& definition, const Value& old, FieldErrors& errors) {
  check_spec(definition, errors);
  if (has_condition(old, "Established")) {
    immutable(definition, old, {"spec", "scope"}, errors);
    immutable(definition, old, {"spec", "names", "kind"}, errors);
  }
  immutable(definition, old, {"spec", "group"}, errors);
  immutable(definition, old, {"spec", "names", "plural"}, errors);
  check_rest(definition, &old, errors);
}

void validate_definition_status(const Value& definition, const Value&, FieldErrors& errors) {
  check_status(definition, errors);
}

void warn_definition(const Value& definition, std::vector<std::string>& warnings) {
  const model::Array& versions = model::array_at(definition, {"spec", "versions"});
  const bool same = hoisted(versions).schema;
  for (size_t i = 0; i < versions.size() && (i == 0 || !same); ++i) {
    const Value* schema = model::find(versions[i], {"schema", "openAPIV3Schema"});
    if (!schema) continue;
    std::vector<std::string> formats;
    find_formats(*schema, formats);
    for (const std::string& format : formats)
      warnings.push_back("unrecognized format " + quoted(format));
    FieldErrors ignored;
    const auto built = model::build_structural(
        *schema, model::at("spec.versions", i) + ".schema.openAPIV3Schema", ignored);
    for (const std::string& path : built.unenforced)
      warnings.push_back(path + ": CEL rules are kept, but not all enforced by this server");
  }
  if (model::string_at(definition, {"spec", "conversion", "strategy"}) == "Webhook")
    warnings.emplace_back(
        "spec.conversion.strategy: conversion webhooks are not called by this server; versions "
        "are converted by changing apiVersion only");
}

const KindRules& definition_rules() {
  static const KindRules rules{.group = "apiextensions.k8s.io",
                               .kind = "CustomResourceDefinition",
                               .set_defaults = default_definition,
                               .prepare_create = prepare_definition_create,
                               .prepare_update = prepare_definition_update,
                               .validate = validate_definition,
                               .validate_update = validate_definition_update,
                               .validate_status = validate_definition_status,
                               .name_rule = nullptr,
                               .warn = warn_definition};
  return rules;
}

}  // namespace holdfast::apiserver
