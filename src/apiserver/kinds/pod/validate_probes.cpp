/// Probes and lifecycle handlers.
#include "kinds/pod/pod.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

void check_port(const Place& port) {
  if (port.value().is_string())
    port.accept(model::check_port_name(port.text()));
  else
    for (std::string& complaint : model::check_port_number(port.number()))
      port.invalid(Value(port.number()), std::move(complaint));
}

bool is_header_name(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && std::all_of(name.begin(), name.end(), good);
}

void check_http_get(const Place& get) {
  get["path"].need();
  check_port(get["port"]);
  get["scheme"].one_of({"HTTP", "HTTPS"});
  for (const Value& header : get["httpHeaders"].items()) {
    const std::string_view name = model::string_at(header, {"name"});
    if (!is_header_name(name))
      get["httpHeaders"].invalid(
          Value(name),
          "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. "
          "'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')");
  }
}

void check_sleep(const Place& sleep, int64_t grace_period) {
  const int64_t seconds = sleep["seconds"].number();
  if (seconds < 0 || seconds > grace_period)
    sleep.invalid(
        Value(seconds),
        fmt::format("must be non-negative and less than terminationGracePeriodSeconds ({})",
                    grace_period));
}

void check_handler(const Place& handler, const Surroundings& around) {
  bool have = false;
  for (std::string_view name : {"exec", "httpGet", "tcpSocket", "grpc", "sleep"}) {
    const Place action = handler[name];
    if (!action.present()) continue;
    if (have) {
      action.forbidden("may not specify more than 1 handler type");
      continue;
    }
    have = true;
    if (name == "exec") action["command"].need();
    if (name == "httpGet") check_http_get(action);
    if (name == "tcpSocket" || name == "grpc") check_port(action["port"]);
    if (name == "sleep") check_sleep(action, around.grace_period);
  }
  if (!have) handler.required("must specify a handler type");
}

void check_probe(const Place& probe, const Surroundings& around) {
  check_handler(probe, around);
  for (std::string_view name : {"initialDelaySeconds", "timeoutSeconds", "periodSeconds",
                                "successThreshold", "failureThreshold"})
    probe[name].non_negative();
  const Place grace = probe["terminationGracePeriodSeconds"];
  if (grace.present() && grace.number() <= 0) grace.invalid("must be greater than 0");
}

}  // namespace

void check_probes(const Place& container, const Surroundings& around) {
  for (std::string_view name : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    const Place probe = container[name];
    if (!probe.present()) continue;
    check_probe(probe, around);
    if (name == "readinessProbe") {
      if (probe["terminationGracePeriodSeconds"].present())
        probe["terminationGracePeriodSeconds"].invalid("must not be set for readinessProbes");
    } else if (probe["successThreshold"].number() != 1) {
      probe["successThreshold"].invalid("must be 1");
    }
  }
}

void check_lifecycle(const Place& lifecycle, const Surroundings& around) {
  for (std::string_view name : {"postStart", "preStop"})
    if (lifecycle[name].present()) check_handler(lifecycle[name], around);
}

}  // namespace holdfast::apiserver::pod
