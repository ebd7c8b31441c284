#include "rest/decode.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/model/structural.h>
#include <holdfast/model/typed.h>

#include "rest/write.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

std::string media_type(const net::Request& request) {
  const std::string_view header = request.headers.get("Content-Type");
  return to_lower(trim(header.substr(0, header.find(';'))));
}

Answer<Body> read_protobuf(std::string_view bytes, const model::GroupVersionKind& form) {
  Result<model::ProtobufEnvelope> envelope = model::open_protobuf(bytes);
  if (!envelope) return model::bad_request(envelope.error().what());
  model::GroupVersionKind gvk = form;
  if (!envelope->kind.empty()) {
    Result<model::GroupVersion> version = model::GroupVersion::parse(envelope->api_version);
    if (!version) return model::bad_request(version.error().what());
    gvk = {version->group, version->version, envelope->kind};
  }
  const model::BuiltinKind* kind = model::Kinds::builtin().find(gvk);
  if (kind == nullptr)
    return model::bad_request(fmt::format("no kind \"{}\" is registered for version \"{}\"",
                                          gvk.kind, gvk.group_version().api_version()));
  Result<Value> value = model::decode_protobuf(envelope->raw, *kind->shape);
  if (!value) return model::bad_request(value.error().what());
  value->get_object()["kind"] = gvk.kind;
  value->get_object()["apiVersion"] = gvk.group_version().api_version();
  return Body{std::move(*value), {}};
}

// `json` | `yaml` errors carry the object's name of the decoder, as the real server's do.
Status undecodable(const Resource& resource, std::string_view cause) {
  return model::bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}",
                                        resource.kind, resource.version, resource.kind, cause));
}

std::string strict_text(const std::vector<std::string>& unknown,
                        const std::vector<std::string>& duplicates) {
  std::vector<std::string> parts;
  parts.reserve(duplicates.size() + unknown.size());
  for (const std::string& path : duplicates)
    parts.push_back(fmt::format("duplicate field \"{}\"", path));
  for (const std::string& path : unknown)
    parts.push_back(fmt::format("unknown field \"{}\"", path));
  return join(parts, ", ");
}

Answer<void> report_strict(const std::vector<std::string>& unknown,
                           const std::vector<std::string>& duplicates, const Resource& resource,
                           FieldValidation validation, std::vector<std::string>& warnings) {
  if (unknown.empty() && duplicates.empty()) return {};
  if (validation == FieldValidation::Strict) {
    const std::string text = "strict decoding error: " + strict_text(unknown, duplicates);
    return undecodable(resource, text);
  }
  if (validation == FieldValidation::Ignore) return {};
  for (const std::string& path : duplicates)
    warnings.push_back(fmt::format("duplicate field \"{}\"", path));
  for (const std::string& path : unknown)
    warnings.push_back(fmt::format("unknown field \"{}\"", path));
  return {};
}

// Bytes of a body that an error shows: as text if it may be JSON, else in hexadecimal.
constexpr size_t kShown = 30;

Status unrecognized(const Resource& resource, std::string_view why, std::string_view body) {
  const std::string_view head = body.substr(0, kShown);
  return model::bad_request(fmt::format(
      "the object provided is unrecognized (must be of type {}): {} ({}{})", resource.kind, why,
      body.starts_with('{') ? std::string(head) : hex(head), body.size() > kShown ? " ..." : ""));
}

// The Go package of a group's internal types.
std::string_view internal_package(std::string_view group) {
  return group.empty() || group == "events.k8s.io" ? "core" : group.substr(0, group.find('.'));
}

Answer<void> check_builtin_kind(const std::string& kind, const std::string& api_version,
                                const Resource& resource) {
  if (kind.empty() || (kind == resource.kind && api_version == resource.api_version())) return {};
  const size_t slash = api_version.find('/');
  const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
  const std::string version =
      slash == std::string::npos ? api_version : api_version.substr(slash + 1);
  const std::string head =
      fmt::format("{} in version \"{}\" cannot be handled as a {}: ", kind, version, resource.kind);
  if (!version.empty() && model::Kinds::builtin().find({group, version, kind}) == nullptr)
    return model::bad_request(
        fmt::format("{}no kind \"{}\" is registered for version \"{}\" in scheme "
                    "\"pkg/runtime/scheme.go:110\"",
                    head, kind, api_version));
  if (kind != resource.kind)
    return model::bad_request(fmt::format("{}converting ({}.{}) to ({}.{}): unknown conversion",
                                          head, version, kind, internal_package(resource.group),
                                          resource.kind));
  return {};
}

Answer<void> check_kind(Value& object, const Resource& resource) {
  if (!object.is_object())
    return model::bad_request(
        "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value "
        "of type struct { "
        "APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
        "\"json:\\\"kind,omitempty\\\"\" }");
  Object& members = object.get_object();
  const std::string kind(model::string_at(object, {"kind"}));
  const std::string api_version(model::string_at(object, {"apiVersion"}));
  if (resource.is_custom() && kind.empty()) {
    const std::string text = model::to_json(object);
    return unrecognized(resource, fmt::format("Object 'Kind' is missing in '{}'", text), text);
  }
  if (kind.empty()) members["kind"] = resource.kind;
  if (api_version.empty()) members["apiVersion"] = resource.api_version();
  if (resource.is_custom() && kind != resource.kind && api_version == resource.api_version())
    return model::invalid({resource.group, kind}, model::string_at(object, {"metadata", "name"}),
                          {model::invalid_field("kind", Value(kind), "must be " + resource.kind)});
  if (!resource.is_custom()) HF_TRY(check_builtin_kind(kind, api_version, resource));
  if (!api_version.empty() && api_version != resource.api_version())
    return model::bad_request(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                    api_version, resource.api_version()));
  return {};
}

}  // namespace

Answer<Body> read_body(const net::Request& request, const model::GroupVersionKind& form) {
  const std::string type = media_type(request);
  if (type == "application/vnd.kubernetes.protobuf") return read_protobuf(request.body, form);
  const bool yaml = type == "application/yaml" || type == "application/apply-patch+yaml";
  if (!yaml && !type.empty() && type != "application/json" && !type.ends_with("+json") &&
      type != "*/*" && type != "text/plain")
    return model::unsupported_media_type(fmt::format(
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json, application/yaml, application/vnd.kubernetes.protobuf"));
  Result<model::Parsed> parsed =
      yaml ? model::parse_yaml(request.body) : model::parse_json(request.body);
  if (!parsed) return model::bad_request(parsed.error().what());
  return Body{std::move(parsed->value), std::move(parsed->duplicates)};
}

Answer<void> settle_object(Value& object, const std::vector<std::string>& duplicates,
                           const Resource& resource, FieldValidation validation,
                           std::vector<std::string>& warnings) {
  HF_TRY(check_kind(object, resource));
  std::vector<std::string> unknown;
  if (resource.is_custom()) {
    // metadata is ObjectMeta whatever the CRD says; the rest is the CRD's.
    static const model::Schema& metadata_schema = *new model::Schema([] {
      model::Schema made;
      made.type = model::Type::Object;
      made.shape = model::Kinds::builtin().shape("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
      return made;
    }());
    if (Value* given = model::find(object, {"metadata"})) {
      Result<model::Decoded> decoded = model::decode_typed(*given, metadata_schema);
      if (!decoded) return model::bad_request(decoded.error().what());
      for (const std::string& path : decoded->unknown) unknown.push_back("metadata." + path);
    }
    // Set aside: the schema's idea of metadata is thinner than ObjectMeta.
    Value* metadata = model::find(object, {"metadata"});
    Value kept = metadata != nullptr ? std::move(*metadata) : Value(Object());
    if (!kept.is_object()) kept = Object();
    if (metadata != nullptr) *metadata = Object();
    for (std::string& path : model::prune(object, *resource.schema))
      unknown.push_back(std::move(path));
    model::ensure_object(object, {"metadata"}) = std::move(kept.get_object());
    if (std::optional<model::FieldError> malformed =
            model::find_malformed_embedded(object, *resource.schema))
      return model::bad_request(malformed->text());
  } else {
    Result<model::Decoded> decoded = model::decode_typed(object, *resource.schema);
    if (!decoded) return undecodable(resource, decoded.error().what());
    unknown = std::move(decoded->unknown);
  }
  HF_TRY(report_strict(unknown, duplicates, resource, validation, warnings));
  set_kind_defaults(object, resource);
  return {};
}

Answer<Body> read_object(const net::Request& request, const Resource& resource) {
  constexpr std::string_view kNoKind = "couldn't get version/kind; json parse error: ";
  Answer<Body> body = read_body(request, resource.gvk());
  const std::string type = media_type(request);
  if (type.find("json") == std::string::npos && !type.empty()) return body;
  if (!body && body.error().code == 400)
    return unrecognized(resource, std::string(kNoKind) + body.error().message, request.body);
  if (body && body->value.is_array())
    return unrecognized(resource,
                        std::string(kNoKind) +
                            "json: cannot unmarshal array into Go value of type struct { "
                            "APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string "
                            "\"json:\\\"kind,omitempty\\\"\" }",
                        request.body);
  return body;
}

Answer<Value> decode_object(Body body, const Resource& resource, FieldValidation validation,
                            std::vector<std::string>& warnings) {
  HF_TRY(settle_object(body.value, body.duplicates, resource, validation, warnings));
  return std::move(body.value);
}

Answer<Value> decode_kind(const net::Request& request, const model::GroupVersionKind& gvk) {
  Body body = HF_TRY(read_body(request, gvk));
  const model::Schema* schema = model::Kinds::builtin().schema(gvk);
  HF_CHECK(schema != nullptr);
  if (!body.value.is_object()) return model::bad_request("the body is not a JSON object");
  const std::string_view kind = model::string_at(body.value, {"kind"});
  if (!kind.empty() && kind != gvk.kind)
    return model::bad_request(
        fmt::format("{} in version \"{}\" cannot be handled as a {}", kind, gvk.version, gvk.kind));
  Result<model::Decoded> decoded = model::decode_typed(body.value, *schema);
  if (!decoded)
    return model::bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}",
                                          gvk.kind, gvk.version, gvk.kind, decoded.error().what()));
  body.value.get_object()["kind"] = gvk.kind;
  body.value.get_object()["apiVersion"] = gvk.group_version().api_version();
  return std::move(body.value);
}

Answer<WriteOptions> read_write_options(const net::Request& request, bool is_apply) {
  WriteOptions options;
  model::FieldErrors errors;
  for (const auto& [name, value] : request.query) {
    if (name == "dryRun") {
      options.dry_run = true;
      if (value != "All")
        errors.push_back(model::unsupported_field("dryRun", Value(Array{Value(value)}), {"All"}));
    } else if (name == "force") {
      options.force = value == "true" || value == "1";
    } else if (name == "fieldManager") {
      options.field_manager = value;
    } else if (name == "fieldValidation") {
      if (value == "Strict")
        options.validation = FieldValidation::Strict;
      else if (value == "Ignore")
        options.validation = FieldValidation::Ignore;
      else if (value != "Warn" && !value.empty())
        errors.push_back(model::unsupported_field("fieldValidation", Value(value),
                                                  {"", "Ignore", "Strict", "Warn"}));
    }
  }
  if (is_apply && options.field_manager.empty())
    errors.push_back(model::required_field("fieldManager", "is required for apply patch"));
  if (!is_apply && options.force)
    errors.push_back(model::forbidden_field("force", "may not be specified for non-apply patch"));
  if (options.field_manager.size() > 128)
    errors.push_back(model::too_long_field("fieldManager", 128));
  if (!errors.empty())
    return model::invalid({"meta.k8s.io", request.method == "PATCH" ? "PatchOptions"
                                          : request.method == "PUT" ? "UpdateOptions"
                                                                    : "CreateOptions"},
                          "", errors);
  if (options.field_manager.empty())
    options.field_manager = model::manager_from_user_agent(request.headers.get("User-Agent"));
  return options;
}

}  // namespace holdfast::apiserver
