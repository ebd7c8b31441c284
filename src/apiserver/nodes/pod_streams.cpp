// Subresources exec, log, attach and portforward of a pod, which its node answers. This finds the
// node and checks the request, in the real server's words.
#include <holdfast/apiserver/nodes.h>
#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>
#include <holdfast/model/time.h>
#include <holdfast/net/websocket.h>

#include "admission/reach.h"
#include "crd/served_kinds.h"
#include "rest/form.h"
#include "rest/operations.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast::apiserver {
namespace {

constexpr int64_t kKubeletPort = 10250;

struct PodAt {
  Value object;
  Revision revision = 0;
};

Answer<PodAt> find_pod(Api& api, const Call& call) {
  const Resource& pods = *call.resource;
  const StoredPtr stored = api.store.get({pods.storage, call.info.ns, call.info.name});
  if (stored == nullptr) return model::not_found(pods.group_resource(), call.info.name);
  return PodAt{to_served(*stored, pods), stored->revision};
}

/// Init containers come first, ephemeral ones last.
std::vector<std::string> container_names(const Value& pod) {
  std::vector<std::string> names;
  for (const std::string_view member : {"initContainers", "containers", "ephemeralContainers"})
    for (const Value& container : model::array_at(pod, {"spec", member}))
      names.emplace_back(model::string_at(container, {"name"}));
  return names;
}

Answer<std::string> choose_container(const Call& call, const Value& pod) {
  const std::string asked(net::query_value(call.http.query, "container"));
  const std::vector<std::string> names = container_names(pod);
  if (!asked.empty()) {
    if (std::find(names.begin(), names.end(), asked) == names.end())
      return model::bad_request(
          fmt::format("container {} is not valid for pod {}", asked, call.info.name));
    return asked;
  }
  const Array& containers = model::array_at(pod, {"spec", "containers"});
  if (containers.size() == 1) return std::string(model::string_at(containers[0], {"name"}));
  return model::bad_request(
      fmt::format("a container name must be specified for pod {}, choose one of: [{}]",
                  call.info.name, join(names, " ")));
}

/// Go's text of a list of addresses.
std::string known_addresses(const Value& node) {
  std::vector<std::string> out;
  for (const Value& address : model::array_at(node, {"status", "addresses"}))
    out.push_back(fmt::format("{{{} {}}}", model::string_at(address, {"type"}),
                              model::string_at(address, {"address"})));
  return "[" + join(out, " ") + "]";
}

Answer<void> locate(Api& api, const Call& call, NodeRequest& request) {
  const ResourcePtr nodes = api.kinds.catalogue()->find("", "v1", "nodes");
  const StoredPtr stored = api.store.get({nodes->storage, "", request.node});
  // The real server takes the resource's name from the request, also where it looks for the node.
  if (stored == nullptr) return model::not_found(call.resource->group_resource(), request.node);
  const Value node = to_served(*stored, *nodes);
  std::string host;
  for (const std::string_view type : {"InternalIP", "Hostname"})
    for (const Value& address : model::array_at(node, {"status", "addresses"}))
      if (host.empty() && model::string_at(address, {"type"}) == type)
        host = model::string_at(address, {"address"});
  if (host.empty())
    return Status{
        .code = 500,
        .reason = "",
        .message = "no preferred addresses found; known addresses: " + known_addresses(node),
        .details = std::nullopt};
  int64_t port = model::int_at(node, {"status", "daemonEndpoints", "kubeletEndpoint", "Port"}, 0);
  if (port <= 0) port = kKubeletPort;
  const bool v6 = host.find(':') != std::string::npos;
  request.url = fmt::format("https://{}:{}", v6 ? "[" + host + "]" : host, port);
  request.certificate = model::string_at(node, {"metadata", "annotations", kServingCertificate});
  return {};
}

/// As Go reads a query's truth: everything but "0" and "false".
bool flag(const Call& call, std::string_view name) {
  for (const auto& [key, value] : call.http.query)
    if (key == name) return value != "0" && to_lower(value) != "false";
  return false;
}

Answer<std::optional<int64_t>> number(const Call& call, std::string_view name) {
  for (const auto& [key, value] : call.http.query) {
    if (key != name) continue;
    int64_t out = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    if (error != std::errc() || end != value.data() + value.size())
      return model::bad_request(
          fmt::format("strconv.ParseInt: parsing {}: invalid syntax", quoted(value)));
    return std::optional(out);
  }
  return std::optional<int64_t>();
}

struct LogOptions {
  std::optional<int64_t> since_seconds, tail_lines, limit_bytes;
  std::optional<WallTime> since_time;
};

Answer<LogOptions> read_log_options(const Call& call) {
  LogOptions options;
  options.since_seconds = HF_TRY(number(call, "sinceSeconds"));
  options.tail_lines = HF_TRY(number(call, "tailLines"));
  options.limit_bytes = HF_TRY(number(call, "limitBytes"));
  const std::string_view since = net::query_value(call.http.query, "sinceTime");
  if (since.empty() || since == "null") return options;
  options.since_time = model::parse_rfc3339(since);
  if (!options.since_time)
    return model::bad_request(fmt::format(
        "parsing time {0} as \"2006-01-02T15:04:05Z07:00\": cannot parse {0} as \"2006\"",
        quoted(since)));
  return options;
}

Answer<void> check_log_options(const Call& call, const LogOptions& options) {
  model::FieldErrors errors;
  if (options.tail_lines && *options.tail_lines < 0)
    errors.push_back(model::invalid_field("tailLines", Value(*options.tail_lines),
                                          "must be greater than or equal to 0"));
  if (options.limit_bytes && *options.limit_bytes < 1)
    errors.push_back(
        model::invalid_field("limitBytes", Value(*options.limit_bytes), "must be greater than 0"));
  if (options.since_seconds && options.since_time)
    errors.push_back(model::forbidden_field(
        "[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"));
  else if (options.since_seconds && *options.since_seconds < 1)
    errors.push_back(model::invalid_field("sinceSeconds", Value(*options.since_seconds),
                                          "must be greater than 0"));
  // A gate that is closed by default in 1.34 guards the choice of a stream.
  if (!net::query_value(call.http.query, "stream").empty())
    errors.push_back(model::forbidden_field("stream", "may not be specified"));
  if (errors.empty()) return {};
  return model::invalid({"", "PodLogOptions"}, call.info.name, errors);
}

std::string log_target(const Call& call, const LogOptions& options, const std::string& container) {
  std::string query;
  const auto add = [&query](std::string_view name, std::string_view value) {
    query += fmt::format("{}{}={}", query.empty() ? "?" : "&", name, net::percent_encode(value));
  };
  for (const std::string_view name : {"follow", "previous", "timestamps"})
    if (flag(call, name)) add(name, "true");
  if (options.since_seconds) add("sinceSeconds", std::to_string(*options.since_seconds));
  if (options.since_time) add("sinceTime", model::to_rfc3339(*options.since_time));
  if (options.tail_lines) add("tailLines", std::to_string(*options.tail_lines));
  if (options.limit_bytes) add("limitBytes", std::to_string(*options.limit_bytes));
  return fmt::format("/containerLogs/{}/{}/{}{}", call.info.ns, call.info.name, container, query);
}

std::string exec_target(const Call& call, const std::string& container) {
  std::string query;
  const auto add = [&query](std::string_view name, std::string_view value) {
    query += fmt::format("{}{}={}", query.empty() ? "?" : "&", name, net::percent_encode(value));
  };
  for (const auto& [name, value] : call.http.query)
    if (name == "command") add(name, value);
  if (flag(call, "stdin")) add("input", "1");
  if (flag(call, "stdout")) add("output", "1");
  if (flag(call, "stderr")) add("error", "1");
  if (flag(call, "tty")) add("tty", "1");
  return fmt::format("/exec/{}/{}/{}{}", call.info.ns, call.info.name, container, query);
}

Reply to_node(NodeRequest request, Revision hold) {
  Reply reply;
  reply.node = std::make_shared<const NodeRequest>(std::move(request));
  reply.hold = hold;
  return reply;
}

/// Who gets into a pod has what the pod has, whoever made it.
Answer<void> check_reach(const Api& api, const Call& call, const Value& pod) {
  const std::string cause = reach_refused(api, call.user, call.info.ns, pod_of(pod));
  if (cause.empty() || !wall_stands("exec is asked for as making is")) return {};
  return model::forbidden(call.resource->group_resource(), call.info.name,
                          "cannot exec into it: " + cause);
}

/// Asked for an upgrade that is not ours to make.
Answer<void> check_upgrade(const net::Request& request) {
  if (net::asks_for_websocket(request)) return {};
  if (request.headers.get("Upgrade").empty()) return model::bad_request("Upgrade request required");
  return model::bad_request(
      fmt::format("{} is not served here, only WebSocket: use kubectl 1.31 or newer (1.29 and 1.30 "
                  "speak it with KUBECTL_REMOTE_COMMAND_WEBSOCKETS=true)",
                  request.headers.get("Upgrade")));
}

}  // namespace

Answer<Reply> pod_log(Api& api, Call& call) {
  const LogOptions options = HF_TRY(read_log_options(call));
  HF_TRY(check_log_options(call, options));
  const PodAt pod = HF_TRY(find_pod(api, call));
  const std::string container = HF_TRY(choose_container(call, pod.object));
  NodeRequest request{.kind = NodeRequest::Kind::Log, .pod = call.info.name};
  request.node = model::string_at(pod.object, {"spec", "nodeName"});
  if (request.node.empty()) {
    Reply nothing;
    nothing.code = 204;
    nothing.content_type = "";
    nothing.hold = pod.revision;
    return nothing;
  }
  HF_TRY(locate(api, call, request));
  if (flag(call, "insecureSkipTLSVerifyBackend")) request.certificate.clear();
  request.target = log_target(call, options, container);
  return to_node(std::move(request), pod.revision);
}

Answer<Reply> pod_exec(Api& api, Call& call) {
  const PodAt pod = HF_TRY(find_pod(api, call));
  HF_TRY(check_reach(api, call, pod.object));
  const std::string container = HF_TRY(choose_container(call, pod.object));
  NodeRequest request{.kind = NodeRequest::Kind::Exec, .pod = call.info.name};
  request.node = model::string_at(pod.object, {"spec", "nodeName"});
  if (request.node.empty())
    return model::bad_request(fmt::format("pod {} does not have a host assigned", call.info.name));
  HF_TRY(locate(api, call, request));
  HF_TRY(check_upgrade(call.http));
  request.protocol = net::agreed_protocol(call.http, {"v5.channel.k8s.io", "v4.channel.k8s.io"});
  if (request.protocol.empty())
    return model::bad_request(
        "none of the subprotocols asked for is served, only v5.channel.k8s.io and "
        "v4.channel.k8s.io");
  request.target = exec_target(call, container);
  return to_node(std::move(request), pod.revision);
}

Answer<Reply> pod_stream_not_served(Api& api, Call& call) {
  HF_TRY(find_pod(api, call));
  return Status{.code = 501,
                .reason = "",
                .message = fmt::format("pods/{} is not served here; pods/exec and pods/log are",
                                       call.info.subresource),
                .details = std::nullopt};
}

}  // namespace holdfast::apiserver
