#include "kinds/core/service.h"

#include <holdfast/base/text.h>

#include "kinds/addresses.h"
#include "kinds/core/core.h"
#include "kinds/selectors.h"

#include <fmt/format.h>

#include <set>

namespace holdfast::apiserver::core {

using model::Value;

namespace {

constexpr int64_t kMaxAffinitySeconds = 86400;
constexpr std::string_view kHints = "service.kubernetes.io/topology-aware-hints";
constexpr std::string_view kTopologyMode = "service.kubernetes.io/topology-mode";
constexpr std::string_view kSourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";
constexpr std::string_view kBalancerOnly = "may only be used when `type` is 'LoadBalancer'";

std::string_view annotation(const Value& service, std::string_view name) {
  return model::string_at(service, {"metadata", "annotations", name});
}

bool has_annotation(const Value& service, std::string_view name) {
  return model::find(service, {"metadata", "annotations", name}) != nullptr;
}

void check_topology_annotations(const Place& service) {
  const Value& object = service.value();
  if (!has_annotation(object, kHints) || !has_annotation(object, kTopologyMode) ||
      annotation(object, kHints) == annotation(object, kTopologyMode))
    return;
  service["metadata"]["annotations"]
      .entry(kTopologyMode)
      .invalid(fmt::format("must match annotations[{}] when both are specified", kHints));
}

void check_type_fits(const Place& service) {
  const Place spec = service["spec"];
  const std::string_view type = spec["type"].text();
  const bool headless = is_headless(service.value());
  if (spec["ports"].empty() && !headless && type != "ExternalName") spec["ports"].required();
  if ((type == "LoadBalancer" || type == "NodePort") && headless)
    spec["clusterIPs"].item(0).invalid(
        fmt::format("may not be set to 'None' for {} services", type));
  if (type != "ExternalName") return;
  for (std::string_view name : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"})
    if (!spec[name].empty()) spec[name].forbidden("may not be set for ExternalName services");
  std::string_view target = spec["externalName"].text();
  if (target.ends_with('.')) target.remove_suffix(1);
  if (target.empty()) return spec["externalName"].required();
  for (std::string& complaint : model::check_dns1123_subdomain(target))
    spec["externalName"].invalid(Value(target), std::move(complaint));
}

void check_target(const Place& target) {
  if (target.value().is_string())
    target.accept(model::check_port_name(target.text()));
  else
    target.accept(model::check_port_number(target.number()));
}

void check_ports(const Place& ports) {
  std::set<std::string, std::less<>> names;
  ports.each([&](const Place& port) {
    const Place name = port["name"];
    if (name.empty()) {
      if (ports.items().size() > 1) name.required();
    } else {
      name.dns_label();
      if (!names.emplace(name.text()).second) name.duplicate();
    }
    for (std::string& complaint : model::check_port_number(port["port"].number()))
      port["port"].invalid(Value(port["port"].number()), std::move(complaint));
    port["protocol"].need_one_of({"SCTP", "TCP", "UDP"});
    check_target(port["targetPort"]);
    if (port["appProtocol"].present()) port["appProtocol"].qualified_name();
  });
}

/// The real server shows the pair as a port with nothing else set.
Value shown_port(const Place& port) {
  return model::Object{{"Name", ""},
                       {"Protocol", Value(port["protocol"].text())},
                       {"AppProtocol", nullptr},
                       {"Port", port["port"].number()},
                       {"TargetPort", 0},
                       {"NodePort", 0}};
}

void check_ports_differ(const Place& spec) {
  const Place ports = spec["ports"];
  if (spec["type"].text() == "ClusterIP")
    ports.each([](const Place& port) {
      if (port["nodePort"].number() != 0)
        port["nodePort"].forbidden("may not be used when `type` is 'ClusterIP'");
    });
  std::set<std::pair<std::string, int64_t>> seen;
  ports.each([&](const Place& port) {
    const int64_t number = port["nodePort"].number();
    if (number != 0 && !seen.emplace(port["protocol"].text(), number).second)
      port["nodePort"].duplicate();
  });
  seen.clear();
  ports.each([&](const Place& port) {
    if (!seen.emplace(port["protocol"].text(), port["port"].number()).second)
      port.duplicate(shown_port(port));
  });
}

void check_affinity(const Place& spec) {
  const Place affinity = spec["sessionAffinity"];
  affinity.need_one_of({"ClientIP", "None"});
  const Place config = spec["sessionAffinityConfig"];
  if (affinity.text() == "ClientIP") {
    for (const Place& step : {config, config["clientIP"], config["clientIP"]["timeoutSeconds"]})
      if (!step.present()) return step.required("when session affinity type is ClientIP");
    const Place seconds = config["clientIP"]["timeoutSeconds"];
    if (seconds.number() <= 0 || seconds.number() > kMaxAffinitySeconds)
      seconds.invalid(fmt::format("must be greater than 0 and less than {}", kMaxAffinitySeconds));
  } else if (affinity.text() == "None" && config.present()) {
    config.forbidden("must not be set when session affinity is None");
  }
}

void check_external_ips(const Place& spec, const Value* old) {
  static const model::Array none;
  const model::Array& before =
      old == nullptr ? none : model::array_at(*old, {"spec", "externalIPs"});
  spec["externalIPs"].each([&](const Place& ip) {
    const size_t errors = spec.errors().size();
    check_ip(ip, before);
    if (spec.errors().size() == errors) check_endpoint_ip(ip);
  });
}

void check_source_ranges(const Place& service, const Value* old) {
  const Place spec = service["spec"];
  const bool balanced = spec["type"].text() == "LoadBalancer";
  const Place ranges = spec["loadBalancerSourceRanges"].as("spec.LoadBalancerSourceRanges");
  if (!ranges.empty()) {
    if (!balanced) ranges.forbidden(std::string(kBalancerOnly));
    model::Array before;
    if (old != nullptr)
      for (const Value& each : model::array_at(*old, {"spec", "loadBalancerSourceRanges"}))
        before.emplace_back(trim(model::string_at(each, {})));
    ranges.each([&](const Place& range) { check_cidr(range, trim(range.text()), before); });
    return;
  }
  if (!has_annotation(service.value(), kSourceRanges)) return;
  const Place noted = service["metadata"]["annotations"].entry(kSourceRanges);
  if (!balanced) noted.forbidden(std::string(kBalancerOnly));
  if (old != nullptr && annotation(*old, kSourceRanges) == noted.text()) return;
  if (trim(noted.text()).empty()) return;
  for (std::string_view range : split(noted.text(), ',')) check_cidr(noted, trim(range));
}

void check_balancer(const Place& spec) {
  const bool balanced = spec["type"].text() == "LoadBalancer";
  const Place allocate = spec["allocateLoadBalancerNodePorts"];
  if (!balanced && allocate.present()) allocate.forbidden(std::string(kBalancerOnly));
  const Place balancer = spec["loadBalancerClass"];
  if (!balancer.present()) return;
  if (balanced)
    balancer.qualified_name();
  else
    balancer.forbidden(std::string(kBalancerOnly));
}

/// A health check port that is missing is fine: nobody hands one out here.
void check_traffic(const Place& service) {
  const Place spec = service["spec"];
  const Place external = spec["externalTrafficPolicy"];
  if (is_externally_accessible(service.value()))
    external.need_one_of({"Cluster", "Local"});
  else if (!external.empty())
    external.invalid("may only be set for externally-accessible services");
  const Place health = spec["healthCheckNodePort"];
  if (health.number() != 0) {
    if (!needs_health_check(service.value()))
      health.invalid(
          "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
    else
      health.accept(model::check_port_number(health.number()));
  }
  spec["internalTrafficPolicy"].one_of_if_present({"Cluster", "Local"});
  spec["trafficDistribution"].one_of_if_present(
      {"PreferClose", "PreferSameZone", "PreferSameNode"});
}

/// Addresses are looked at first, where the real server's allocator would be; with one of them
/// wrong, nothing else is said.
bool addresses_are_good(const Place& service, const Value* old) {
  check_cluster_ips(service["spec"], old);
  if (service.errors().empty()) check_families_served(service["spec"], service.value());
  return service.errors().empty();
}

void validate(const Value& object, model::FieldErrors& errors) {
  model::FieldErrors found;
  if (addresses_are_good(Place(object, found), nullptr))
    check_service(Place(object, found), nullptr);
  for (model::FieldError& error : found) errors.push_back(std::move(error));
}

void check_update(const Place& service, const Value& old) {
  const Place spec = service["spec"];
  check_cluster_ips_kept(spec, old);
  check_families_kept(spec, old);
  const Place balancer = spec["loadBalancerClass"];
  const Value* before = model::find(old, {"spec", "loadBalancerClass"});
  const bool both = spec["type"].text() == "LoadBalancer" &&
                    model::string_at(old, {"spec", "type"}) == "LoadBalancer";
  if (both && !model::equal(balancer.value(), before == nullptr ? Value() : *before))
    balancer.invalid("may not change once set");
  check_balancer(spec);
  if (needs_health_check(old) && needs_health_check(service.value()) &&
      spec["healthCheckNodePort"].number() !=
          model::int_at(old, {"spec", "healthCheckNodePort"}, 0))
    spec["healthCheckNodePort"].forbidden("field is immutable");
  check_service(service, &old);
}

void validate_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  model::FieldErrors found;
  if (addresses_are_good(Place(object, found), &old)) check_update(Place(object, found), old);
  for (model::FieldError& error : found) errors.push_back(std::move(error));
}

void validate_status(const Value& service, const Value& old, model::FieldErrors& errors) {
  check_load_balancer_status(Place(service, errors), old);
}

void warn(const Value& service, std::vector<std::string>& warnings) {
  const Value* found = model::find(service, {"spec"});
  if (found == nullptr) return;
  const Value& spec = *found;
  if (has_annotation(service, kHints))
    warnings.push_back(
        fmt::format("annotation {} is deprecated, please use {} instead", kHints, kTopologyMode));
  const auto each_ip = [&](std::string_view name, auto check) {
    const model::Array& list = model::array_at(spec, {name});
    for (size_t i = 0; i < list.size(); ++i)
      check(model::at(model::child("spec", name), i), model::string_at(list[i], {}), warnings);
  };
  const std::string_view type = model::string_at(spec, {"type"});
  if (model::string_at(spec, {"clusterIP"}) != "None") {
    each_ip("clusterIPs", warn_about_ip);
  } else if (type == "ClusterIP") {
    if (!model::string_at(spec, {"loadBalancerIP"}).empty())
      warnings.push_back("spec.loadBalancerIP is ignored for headless services");
    if (!model::array_at(spec, {"externalIPs"}).empty())
      warnings.push_back("spec.externalIPs is ignored for headless services");
    if (model::string_at(spec, {"sessionAffinity"}) != "None")
      warnings.push_back("spec.SessionAffinity is ignored for headless services");
  }
  each_ip("externalIPs", warn_about_ip);
  warn_about_ip("spec.loadBalancerIP", model::string_at(spec, {"loadBalancerIP"}), warnings);
  each_ip("loadBalancerSourceRanges", warn_about_cidr);
  if (type == "ExternalName" && !model::array_at(spec, {"externalIPs"}).empty())
    warnings.push_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  if (type != "ExternalName" && !model::string_at(spec, {"externalName"}).empty())
    warnings.push_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
}

}  // namespace

void check_service(const Place& service, const Value* old) {
  const Place spec = service["spec"];
  check_topology_annotations(service);
  check_type_fits(service);
  check_ports(spec["ports"]);
  check_labels(spec["selector"]);
  check_affinity(spec);
  check_cluster_ips(spec, old);
  check_external_ips(spec, old);
  spec["type"].need_one_of({"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  check_ports_differ(spec);
  check_source_ranges(service, old);
  check_balancer(spec);
  check_traffic(service);
}

void check_load_balancer_status(const Place& service, const Value& old) {
  const Place ingresses = service["status"]["loadBalancer"]["ingress"];
  if (service["spec"]["type"].text() != "LoadBalancer" && !ingresses.empty())
    return ingresses.forbidden("may only be used when `spec.type` is 'LoadBalancer'");
  model::Array before;
  for (const Value& each : model::array_at(old, {"status", "loadBalancer", "ingress"}))
    before.emplace_back(model::string_at(each, {"ip"}));
  ingresses.each([&](const Place& ingress) {
    const bool addressed = !ingress["ip"].empty();
    if (addressed) check_ip(ingress["ip"], before);
    const Place mode = ingress["ipMode"];
    if (!mode.present()) {
      if (addressed) mode.required("must be specified when `ip` is set");
    } else if (!addressed) {
      mode.forbidden("may not be specified when `ip` is not set");
    } else {
      mode.one_of({"Proxy", "VIP"});
    }
    const Place host = ingress["hostname"];
    if (host.empty()) return;
    host.dns_subdomain();
    if (parse_ip(host.text())) host.invalid("must be a DNS name, not an IP address");
  });
}

constinit const KindRules kService = {
    .group = "",
    .kind = "Service",
    .set_defaults = default_service,
    .prepare_create = prepare_service,
    .prepare_update = prepare_service_update,
    .validate = validate,
    .validate_update = validate_update,
    .validate_status = validate_status,
    .name_rule = model::check_dns1035_label,
    .warn = warn,
};

}  // namespace holdfast::apiserver::core
