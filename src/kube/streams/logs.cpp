/// Logs of containers, as the API server streams them.
#include <holdfast/kube/streams.h>
#include <holdfast/model/time.h>

#include "client/failure.h"

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

std::string log_target(std::string_view ns, std::string_view pod, const LogOptions& options) {
  std::string target = kPods.path(ns, pod, "log");
  char mark = '?';
  const auto add = [&](std::string_view name, std::string_view value) {
    target += fmt::format("{}{}={}", std::exchange(mark, '&'), name, net::percent_encode(value));
  };
  if (!options.container.empty()) add("container", options.container);
  if (options.follow) add("follow", "true");
  if (options.previous) add("previous", "true");
  if (options.timestamps) add("timestamps", "true");
  if (options.since_seconds) add("sinceSeconds", std::to_string(*options.since_seconds));
  if (options.since_time) add("sinceTime", model::to_rfc3339(*options.since_time));
  if (options.tail_lines) add("tailLines", std::to_string(*options.tail_lines));
  if (options.limit_bytes) add("limitBytes", std::to_string(*options.limit_bytes));
  if (options.insecure_backend) add("insecureSkipTLSVerifyBackend", "true");
  return target;
}

}  // namespace

Reply<void> logs(Client& client, std::string_view ns, std::string_view pod,
                 const LogOptions& options, const std::function<bool(std::string_view)>& on_data,
                 std::stop_token stop) {
  if (ns.empty() || pod.empty())
    return not_sent(Fault::Invalid, "logs: a namespace and a pod are needed");
  return client.stream(log_target(ns, pod, options), on_data, std::move(stop));
}

}  // namespace holdfast::kube
