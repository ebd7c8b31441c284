#include "serve/kubelet_api.h"

#include <holdfast/base/text.h>

#include "serve/exec_talk.h"
#include "serve/log_stream.h"

#include <fmt/format.h>

namespace holdfast::node {
namespace {

net::Response plain(int status, std::string text) {
  net::Response response;
  response.status = status;
  response.headers.set("Content-Type", "text/plain; charset=utf-8");
  response.body = std::move(text);
  return response;
}

bool flag(const net::Query& query, std::string_view name) {
  const std::string_view value = net::query_value(query, name);
  return value == "1" || value == "true";
}

/// The API server shows a certificate of the cluster's own authority, as an administrator of it.
bool may_ask(const net::Peer& peer) {
  return peer.certificate && std::find(peer.organizations.begin(), peer.organizations.end(),
                                       "system:masters") != peer.organizations.end();
}

}  // namespace

void KubeletApi::serve(net::Request request, net::Respond respond) { respond(answer(request)); }

net::Response KubeletApi::answer(const net::Request& request) {
  if (request.path == "/healthz") return plain(200, "ok");
  if (!may_ask(request.peer)) return plain(401, "Unauthorized");
  const std::vector<std::string_view> parts = split(std::string_view(request.path).substr(1), '/');
  if (parts.size() == 1 && parts[0] == "pods") {
    net::Response response = plain(200, list_());
    response.headers.set("Content-Type", "application/json");
    return response;
  }
  if (parts.size() == 4 && parts[0] == "containerLogs") return logs(request, parts);
  if (parts.size() == 4 && parts[0] == "exec") return exec(request, parts);
  return plain(404, "404 page not found\n");
}

net::Response KubeletApi::logs(const net::Request& request,
                               const std::vector<std::string_view>& parts) {
  const std::string ns(parts[1]), name(parts[2]), container(parts[3]);
  const std::shared_ptr<PodWorker> pod = find_(ns, name);
  if (pod == nullptr) return plain(404, fmt::format("pod \"{}/{}\" not found\n", ns, name));
  Result<LogOptions> options = read_log_options(request.query, clock_.now());
  if (!options) return plain(400, options.error().what());
  const Result<ContainerRecord> run = pod->run_of(container, flag(request.query, "previous"));
  if (!run) return plain(run.error().fault() == Fault::NotFound ? 404 : 400, run.error().what());
  const std::filesystem::path file = log_file_of(pod->log_folder(), container, run->attempt);
  const auto ended = [pod, container, attempt = run->attempt] {
    const Result<ContainerRecord> now = pod->run_of(container, false);
    return !now || now->attempt != attempt || now->exited() || pod->gone();
  };
  net::Response response;
  response.headers.set("Content-Type", "text/plain");
  response.stream = open_log(file, options.take(), ended);
  return response;
}

net::Response KubeletApi::exec(const net::Request& request,
                               const std::vector<std::string_view>& parts) {
  const std::string ns(parts[1]), name(parts[2]), container(parts[3]);
  const std::shared_ptr<PodWorker> pod = find_(ns, name);
  if (pod == nullptr) return plain(404, "pod does not exist\n");
  const Result<ContainerRecord> run = pod->run_of(container, false);
  if (!run || !run->running())
    return plain(404, fmt::format("container not found (\"{}\")\n", container));
  ExecRequest exec{.pod_folder = pod->folder(), .container_id = run->id, .command = {}};
  for (const auto& [key, value] : request.query)
    if (key == "command") exec.command.push_back(value);
  exec.input = flag(request.query, "input");
  exec.output = flag(request.query, "output");
  exec.error = flag(request.query, "error");
  exec.tty = flag(request.query, "tty");
  if (!exec.input && !exec.output && !exec.error)
    return plain(400, "you must specify at least 1 of stdin, stdout, stderr\n");
  if (!net::asks_for_websocket(request)) return plain(400, "only WebSocket is served here\n");
  const std::string protocol =
      net::agreed_protocol(request, {"v5.channel.k8s.io", "v4.channel.k8s.io"});
  return net::go_on_as_websocket(protocol, [exec](const std::shared_ptr<net::WebSocket>& socket) {
    talk_exec(exec, *socket);
  });
}

}  // namespace holdfast::node
