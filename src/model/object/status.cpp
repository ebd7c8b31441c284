/// The failures of an API server and how they look as JSON.
#include <holdfast/base/text.h>
#include <holdfast/model/status.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <set>

namespace holdfast::model {
namespace {

Status::Details details_of(const GroupResource& resource, std::string_view name) {
  Status::Details details;
  details.name = name;
  details.group = resource.group;
  details.kind = resource.resource;
  return details;
}

Status::Details retry_after(int seconds) {
  Status::Details details;
  details.retry_after_seconds = seconds;
  return details;
}

void put(Object& object, std::string_view name, const std::string& text) {
  if (!text.empty()) object[name] = text;
}

Value to_value(const Status::Details& details) {
  Object out;
  put(out, "name", details.name);
  put(out, "group", details.group);
  put(out, "kind", details.kind);
  put(out, "uid", details.uid);
  Array causes;
  for (const StatusCause& cause : details.causes) {
    Object one;
    put(one, "reason", cause.reason);
    put(one, "message", cause.message);
    put(one, "field", cause.field);
    causes.emplace_back(std::move(one));
  }
  if (!causes.empty()) out["causes"] = std::move(causes);
  if (details.retry_after_seconds != 0) out["retryAfterSeconds"] = details.retry_after_seconds;
  return out;
}

/// Each sentence once; several stand in brackets.
std::string sentence_of(const FieldErrors& errors) {
  std::vector<std::string> texts;
  std::set<std::string> seen;
  for (const FieldError& error : errors)
    if (seen.insert(error.text()).second) texts.push_back(error.text());
  return texts.size() == 1 ? texts.front() : "[" + join(texts, ", ") + "]";
}

}  // namespace

Value to_value(const Status& status) {
  Object out{
      {"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", Object()}, {"status", "Failure"}};
  if (!status.continue_token.empty()) out["metadata"] = Object{{"continue", status.continue_token}};
  put(out, "message", status.message);
  put(out, "reason", status.reason);
  if (status.details) out["details"] = to_value(*status.details);
  out["code"] = status.code;
  return out;
}

Status bad_request(std::string message) { return {400, "BadRequest", std::move(message), {}}; }

Status unauthorized(std::string message) {
  return {401, "Unauthorized", message.empty() ? "not authorized" : std::move(message), {}};
}

Status not_found(const GroupResource& resource, std::string_view name) {
  return {404, "NotFound", fmt::format("{} {} not found", resource.text(), quoted(name)),
          details_of(resource, name)};
}

Status page_not_found() {
  return {404, "NotFound", "the server could not find the requested resource", Status::Details()};
}

Status already_exists(const GroupResource& resource, std::string_view name) {
  return {409, "AlreadyExists", fmt::format("{} {} already exists", resource.text(), quoted(name)),
          details_of(resource, name)};
}

Status conflict(const GroupResource& resource, std::string_view name, std::string_view cause) {
  return {409, "Conflict",
          fmt::format("Operation cannot be fulfilled on {} {}: {}", resource.text(), quoted(name),
                      cause),
          details_of(resource, name)};
}

Status invalid(const GroupKind& kind, std::string_view name, const FieldErrors& errors) {
  Status::Details details = details_of({kind.group, kind.kind}, name);
  for (const FieldError& error : errors)
    details.causes.push_back({std::string(error.reason()), error.body(), error.field});
  std::string message = fmt::format("{} {} is invalid", kind.text(), quoted(name));
  if (!errors.empty()) message.append(": ").append(sentence_of(errors));
  return {422, "Invalid", std::move(message), std::move(details)};
}

Status forbidden(const GroupResource& resource, std::string_view name, std::string_view cause) {
  std::string message;
  if (resource.group.empty() && resource.resource.empty())
    message = fmt::format("forbidden: {}", cause);
  else if (name.empty())
    message = fmt::format("{} is forbidden: {}", resource.text(), cause);
  else
    message = fmt::format("{} {} is forbidden: {}", resource.text(), quoted(name), cause);
  return {403, "Forbidden", std::move(message), details_of(resource, name)};
}

Status method_not_supported(const GroupResource& resource, std::string_view action) {
  return {
      405, "MethodNotAllowed",
      fmt::format("{} is not supported on resources of kind {}", action, quoted(resource.text())),
      details_of(resource, "")};
}

Status resource_expired(std::string message) { return {410, "Expired", std::move(message), {}}; }

Status too_large(std::string_view message) {
  return {413, "RequestEntityTooLarge", fmt::format("Request entity too large: {}", message), {}};
}

Status unsupported_media_type(std::string message) {
  return {415, "UnsupportedMediaType", std::move(message), {}};
}

Status not_acceptable(std::string message) {
  return {406, "NotAcceptable", std::move(message), {}};
}

Status internal_error(std::string_view cause) {
  Status::Details details;
  details.causes.push_back({"", std::string(cause), ""});
  return {500, "InternalError", fmt::format("Internal error occurred: {}", cause),
          std::move(details)};
}

Status timeout(std::string_view message, int retry_after_seconds) {
  return {504, "Timeout", fmt::format("Timeout: {}", message), retry_after(retry_after_seconds)};
}

Status too_many_requests(std::string message, int retry_after_seconds) {
  return {429, "TooManyRequests", std::move(message), retry_after(retry_after_seconds)};
}

Status service_unavailable(std::string message) {
  return {503, "ServiceUnavailable", std::move(message), {}};
}

}  // namespace holdfast::model
