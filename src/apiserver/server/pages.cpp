#include "server/pages.h"

#include <holdfast/apiserver/version.h>
#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>

#include "crd/served_kinds.h"
#include "discovery/discovery.h"
#include "rest/render.h"
#include "server/accept.h"
#include "server/warnings.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

Reply json(const Value& value) {
  Reply reply;
  reply.body = model::to_json(value);
  return reply;
}

Reply plain(std::string text, int code = 200) {
  Reply reply;
  reply.code = code;
  reply.body = std::move(text);
  reply.content_type = "text/plain; charset=utf-8";
  return reply;
}

Value version_info() {
  return Object{{"major", "1"},
                {"minor", "34"},
                {"emulationMajor", "1"},
                {"emulationMinor", "34"},
                {"minCompatibilityMajor", "1"},
                {"minCompatibilityMinor", "33"},
                {"gitVersion", std::string(kServedVersion)},
                {"gitCommit", ""},
                {"gitTreeState", "clean"},
                {"buildDate", "1970-01-01T00:00:00Z"},
                {"goVersion", ""},
                {"compiler", "g++"},
                {"platform", "linux/amd64"}};
}

// `ok`, or with ?verbose the list of checks, as kube-apiserver prints them.
Reply health(const Api& api, const Call& call, std::string_view name) {
  const Result<void> store = api.store.healthy();
  bool verbose = false;
  for (const auto& [key, value] : call.http.query) verbose = verbose || key == "verbose";
  if (store && !verbose) return plain("ok");
  std::string text = "[+]ping ok\n[+]log ok\n";
  text += store ? "[+]etcd ok\n" : "[-]etcd failed: reason withheld\n";
  text += fmt::format("{} check {}", name, store ? "passed\n" : "failed");
  return plain(std::move(text), store ? 200 : 500);
}

Reply discovery_reply(const Call& call, const Value& aggregated, const Value& legacy) {
  if (!wants_aggregated_discovery(call.http)) return json(legacy);
  Reply reply = json(aggregated);
  reply.content_type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
  return reply;
}

// These pages have no router before them: their handler is content with patterns too.
Answer<void> check_handler_accept(const Call& call) {
  if (check_accept(call.http, kObjects)) return {};
  HF_TRY(negotiate(call.http));
  return {};
}

Answer<Reply> group_page(const Catalogue& catalogue, const Call& call, std::string_view rest) {
  const std::vector<std::string_view> parts = split(rest, '/');
  const Catalogue::Group* group = catalogue.group(parts[0]);
  if (group == nullptr || group->name.empty()) return page_not_found();
  if (parts.size() == 1) {
    HF_TRY(check_handler_accept(call));
    return json(api_group(*group));
  }
  for (const Catalogue::Version& version : group->versions) {
    if (parts.size() != 2 || version.version != parts[1]) continue;
    HF_TRY(group->custom ? check_handler_accept(call) : check_accept(call.http, kObjects));
    return json(api_resource_list(*group, version));
  }
  return page_not_found();
}

Answer<Reply> open_api_page(const Catalogue& catalogue, std::string_view rest) {
  if (rest.empty()) return json(open_api_index(catalogue));
  std::string group_name, version_name;
  const std::vector<std::string_view> parts = split(rest, '/');
  if (parts.size() == 2 && parts[0] == "api")
    version_name = parts[1];
  else if (parts.size() == 3 && parts[0] == "apis")
    group_name = parts[1], version_name = parts[2];
  else
    return page_not_found();
  const Catalogue::Group* group = catalogue.group(group_name);
  if (group == nullptr) return page_not_found();
  for (const Catalogue::Version& version : group->versions) {
    if (version.version != version_name) continue;
    Reply reply;
    reply.body = open_api_document(*group, version);
    return reply;
  }
  return page_not_found();
}

Value path_list() {
  Array paths;
  for (const std::string_view path :
       {"/api", "/api/v1", "/apis", "/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3",
        "/openid/v1/jwks", "/readyz", "/version", "/.well-known/openid-configuration"})
    paths.emplace_back(path);
  return Object{{"paths", std::move(paths)}};
}

// kubectl before 1.27 validates with the v2 document; an empty one of this very type tells it to
// skip that.
Reply open_api_v2() {
  Reply reply;
  reply.content_type = "application/octet-stream";
  return reply;
}

Answer<Reply> discovery_page(const Catalogue& catalogue, const Call& call, std::string_view path,
                             const std::string& address) {
  if (path == "/api" || path == "/api/v1") {
    HF_TRY(check_accept(call.http, kObjects));
  }
  if (path == "/api")
    return discovery_reply(call, group_discovery_list(catalogue, true), api_versions(address));
  if (path == "/apis") {
    HF_TRY(check_handler_accept(call));
    return discovery_reply(call, group_discovery_list(catalogue, false), api_group_list(catalogue));
  }
  if (path == "/api/v1") {
    const Catalogue::Group* core = catalogue.group("");
    return json(api_resource_list(*core, core->versions.front()));
  }
  if (path.starts_with("/apis/")) return group_page(catalogue, call, path.substr(6));
  if (path == "/openapi/v2") return open_api_v2();
  if (path == "/openapi/v3") return open_api_page(catalogue, "");
  if (path.starts_with("/openapi/v3/")) return open_api_page(catalogue, path.substr(12));
  return page_not_found();
}

}  // namespace

Reply page_not_found() { return plain("404 page not found\n", 404); }

Answer<Reply> page(Api& api, Call& call, Metrics& metrics, const std::string& address) {
  std::string_view path = call.http.path;
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const bool read = call.http.method == "GET" || call.http.method == "HEAD";
  if (!read) return model::method_not_supported({"", ""}, call.info.verb);
  for (const std::string_view name : {"healthz", "livez", "readyz"})
    if (path == fmt::format("/{}", name) || path == fmt::format("/{}/ping", name))
      return health(api, call, name);
  if (path == "/version") {
    HF_TRY(check_accept(call.http, kJson));
    return json(version_info());
  }
  if (path == "/") return json(path_list());
  if (path == "/.well-known/openid-configuration") {
    Reply reply;
    reply.body = api.authenticator.openid_configuration("https://" + address);
    return reply;
  }
  if (path == "/openid/v1/jwks") {
    Reply reply;
    reply.body = api.authenticator.jwks();
    reply.content_type = "application/jwk-set+json";
    return reply;
  }
  if (path == "/metrics") {
    Reply reply = plain(metrics.text(api));
    reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
    return reply;
  }
  return discovery_page(*api.kinds.catalogue(), call, path, address);
}

net::Response response(Reply reply, const std::vector<std::string>& warnings) {
  net::Response out;
  out.status = reply.code;
  if (!reply.content_type.empty()) out.headers.set("Content-Type", reply.content_type);
  out.headers.set("Cache-Control", "no-cache, private");
  for (const std::string& header : warning_headers(warnings)) out.headers.add("Warning", header);
  out.body = std::move(reply.body);
  out.stream = std::move(reply.stream);
  return out;
}

net::Response error_response(const Status& status, const std::vector<std::string>& warnings) {
  Reply reply;
  reply.code = status.code;
  reply.body = model::to_json(model::to_value(status));
  net::Response out = response(std::move(reply), warnings);
  if (status.details && status.details->retry_after_seconds > 0)
    out.headers.set("Retry-After", std::to_string(status.details->retry_after_seconds));
  if (status.code == 401) out.headers.set("WWW-Authenticate", "Bearer");
  return out;
}

}  // namespace holdfast::apiserver
