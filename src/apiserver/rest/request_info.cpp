// Paths that mean resources:
//   /api/VERSION/…            the core group
//   /apis/GROUP/VERSION/…     the others
//   …/namespaces/NS/RESOURCE[/NAME[/SUBRESOURCE]]
//   …/RESOURCE[/NAME[/SUBRESOURCE]]
// `namespaces` itself is a resource: /api/v1/namespaces/x, and its subresources status and
// finalize.
#include "rest/request_info.h"

#include <holdfast/base/text.h>

namespace holdfast::apiserver {
namespace {

std::string method_verb(const std::string& method) {
  if (method == "POST") return "create";
  if (method == "GET" || method == "HEAD") return "get";
  if (method == "PUT") return "update";
  if (method == "PATCH") return "patch";
  if (method == "DELETE") return "delete";
  return "";
}

bool truthy(std::string_view value) {
  return value == "true" || value == "1" || value == "t" || value == "T" || value == "TRUE" ||
         value == "True";
}

// A list or watch of one object by field selector counts as asking for that name (RBAC's
// resourceNames).
std::string selected_name(const net::Request& request) {
  const std::string_view selector = net::query_value(request.query, "fieldSelector");
  constexpr std::string_view kPrefix = "metadata.name=";
  if (!selector.starts_with(kPrefix) || selector.find(',') != std::string_view::npos) return "";
  std::string_view name = selector.substr(kPrefix.size());
  if (name.starts_with('=')) name.remove_prefix(1);
  return std::string(name);
}

void set_collection_verb(RequestInfo& info, const net::Request& request) {
  if (!info.name.empty()) return;
  if (info.verb == "get")
    info.verb = truthy(net::query_value(request.query, "watch")) ? "watch" : "list";
  else if (info.verb == "delete")
    info.verb = "deletecollection";
  else
    return;
  info.name = selected_name(request);
}

}  // namespace

RequestInfo parse_request_info(const net::Request& request) {
  RequestInfo info;
  info.path = request.path;
  info.verb = to_lower(request.method);

  std::vector<std::string_view> parts;
  for (const std::string_view part : split(request.path, '/'))
    if (!part.empty()) parts.push_back(part);
  if (parts.size() < 3 || (parts[0] != "api" && parts[0] != "apis")) return info;
  size_t at = 1;
  if (parts[0] == "apis") {
    if (parts.size() < 4) return info;
    info.group = parts[at++];
  }
  info.version = parts[at++];
  info.is_resource = true;
  info.verb = method_verb(request.method);
  bool legacy_watch = false;
  if (parts[at] == "watch") {  // the old /watch/ prefix
    legacy_watch = true;
    if (++at >= parts.size()) return info;
  }

  if (parts[at] == "namespaces" && parts.size() > at + 1) {
    info.ns = parts[at + 1];
    const bool of_namespace =
        parts.size() == at + 2 ||
        (parts.size() == at + 3 && (parts[at + 2] == "status" || parts[at + 2] == "finalize"));
    if (!of_namespace) at += 2;
  }
  info.resource = parts[at++];
  if (at < parts.size()) info.name = parts[at++];
  if (at < parts.size()) info.subresource = parts[at];
  set_collection_verb(info, request);
  if (legacy_watch && (info.verb == "get" || info.verb == "list")) info.verb = "watch";
  if (info.verb == "get" && !info.name.empty() && truthy(net::query_value(request.query, "watch")))
    info.verb = "watch";
  return info;
}

}  // namespace holdfast::apiserver
