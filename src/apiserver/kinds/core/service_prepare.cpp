/// Services: defaults, and how linked fields (clusterIP and clusterIPs, families, node ports)
/// follow each other. Addresses and node ports are taken as given; none are handed out.
#include "kinds/addresses.h"
#include "kinds/core/service.h"

#include <algorithm>
#include <set>

namespace holdfast::apiserver::core {

using model::Array;
using model::Object;
using model::Value;

namespace {

constexpr int64_t kAffinitySeconds = 10800;

std::string_view spec_text(const Value& service, std::string_view name) {
  return model::string_at(service, {"spec", name});
}

const Array& spec_list(const Value& service, std::string_view name) {
  return model::array_at(service, {"spec", name});
}

Object& spec_of(Value& service) { return object_member(service, "spec").get_object(); }

bool same_member(const Value& a, const Value& b, std::string_view name) {
  const Value* one = model::find(a, {"spec", name});
  const Value* other = model::find(b, {"spec", name});
  if (one == nullptr || other == nullptr) return one == other;
  return model::equal(*one, *other);
}

void copy_member(Value& service, const Value& old, std::string_view name) {
  if (const Value* value = model::find(old, {"spec", name})) spec_of(service)[name] = *value;
}

bool needs_node_port(const Value& service) {
  return spec_text(service, "type") == "NodePort" || spec_text(service, "type") == "LoadBalancer";
}

bool is_external_name(const Value& service) { return spec_text(service, "type") == "ExternalName"; }

std::set<int64_t> node_ports(const Value& service) {
  std::set<int64_t> out;
  for (const Value& port : spec_list(service, "ports"))
    if (const int64_t number = model::int_at(port, {"nodePort"}, 0); number != 0)
      out.insert(number);
  return out;
}

/// What the server gave away before comes back if the client left it out.
void keep_allocated(Value& service, const Value& old) {
  if (!is_external_name(old) && !is_external_name(service)) {
    if (spec_text(service, "clusterIP").empty()) copy_member(service, old, "clusterIP");
    if (spec_list(service, "clusterIPs").empty()) copy_member(service, old, "clusterIPs");
  }
  if (needs_node_port(old) && needs_node_port(service)) {
    std::set<int64_t> used;
    const std::set<int64_t> before = node_ports(old);
    for (const int64_t port : node_ports(service))
      if (before.contains(port)) used.insert(port);
    each_element(object_member(service, "spec"), "ports", [&](Value& port) {
      if (model::int_at(port, {"nodePort"}, 0) != 0) return;
      int64_t number = 0;
      for (const Value& earlier : spec_list(old, "ports"))
        if (model::string_at(earlier, {"name"}) == model::string_at(port, {"name"}))
          number = model::int_at(earlier, {"nodePort"}, 0);
      if (number != 0 && !used.contains(number)) port.get_object()["nodePort"] = number;
    });
  }
  if (needs_health_check(old) && needs_health_check(service) &&
      model::int_at(service, {"spec", "healthCheckNodePort"}, 0) == 0)
    copy_member(service, old, "healthCheckNodePort");
}

/// Old clients know only clusterIP; clusterIPs follows it where that is what was meant.
void align_cluster_ips(Value& service, const Value* old) {
  const std::string ip(spec_text(service, "clusterIP"));
  if (old == nullptr) {
    if (!ip.empty() && spec_list(service, "clusterIPs").empty())
      spec_of(service)["clusterIPs"] = Array{Value(ip)};
    return;
  }
  if (spec_text(*old, "clusterIP") == ip) {
    if (spec_list(service, "clusterIPs").empty()) copy_member(service, *old, "clusterIPs");
    return;
  }
  if (!same_member(service, *old, "clusterIPs")) return;
  if (ip.empty())
    spec_of(service).erase("clusterIPs");
  else
    spec_of(service)["clusterIPs"] = Array{Value(ip)};
}

void cut_to_one(Value& service, const Value& old, std::string_view name) {
  Value* list = model::find(service, {"spec", name});
  if (list != nullptr && list->is_array() && list->get_array().size() > 1 &&
      same_member(service, old, name))
    list->get_array().resize(1);
}

/// ipFamilyPolicy and ipFamilies of a server that hands out IPv4 only.
void init_families(Value& service, const Value* old) {
  if (is_external_name(service)) return;
  const bool unselected = spec_text(service, "clusterIP") == "None" &&
                          model::object_at(service, {"spec", "selector"}).empty();
  if (spec_text(service, "ipFamilyPolicy").empty()) {
    if (old != nullptr && !spec_text(*old, "ipFamilyPolicy").empty())
      copy_member(service, *old, "ipFamilyPolicy");
    else
      spec_of(service)["ipFamilyPolicy"] = unselected ? "RequireDualStack" : "SingleStack";
  }
  const bool single = spec_text(service, "ipFamilyPolicy") == "SingleStack";
  if (old != nullptr && single) {
    cut_to_one(service, *old, "clusterIPs");
    cut_to_one(service, *old, "ipFamilies");
  }
  Array families = spec_list(service, "ipFamilies");
  const Array& ips = spec_list(service, "clusterIPs");
  for (size_t i = 0; i < ips.size(); ++i) {
    const std::string_view ip = model::string_at(ips[i], {});
    if (ip == "None") break;
    const Value family(is_ipv6(ip) ? "IPv6" : "IPv4");
    if (i >= families.size() &&
        std::find(families.begin(), families.end(), family) == families.end())
      families.push_back(family);
  }
  if (families.empty()) families.emplace_back("IPv4");
  if (unselected && !single && families.size() < 2)
    families.emplace_back(families[0] == Value("IPv4") ? "IPv6" : "IPv4");
  spec_of(service)["ipFamilies"] = std::move(families);
}

/// Fields that meant something for the old type only, and that the client just sent back.
void drop_fields_of_old_type(Value& service, const Value& old) {
  Object& spec = spec_of(service);
  const auto drop_if_same = [&](std::string_view name) {
    if (same_member(service, old, name)) spec.erase(name);
  };
  if (!is_external_name(old) && is_external_name(service)) {
    if (same_member(service, old, "clusterIP") && same_member(service, old, "clusterIPs")) {
      spec.erase("clusterIP");
      spec.erase("clusterIPs");
    }
    drop_if_same("ipFamilies");
    drop_if_same("ipFamilyPolicy");
  }
  if (needs_node_port(old) && !needs_node_port(service)) {
    const std::set<int64_t> before = node_ports(old);
    const std::set<int64_t> now = node_ports(service);
    if (std::includes(before.begin(), before.end(), now.begin(), now.end()))
      each_element(object_member(service, "spec"), "ports",
                   [](Value& port) { port.get_object().erase("nodePort"); });
  }
  if (needs_health_check(old) && !needs_health_check(service)) drop_if_same("healthCheckNodePort");
  const bool balanced = spec_text(service, "type") == "LoadBalancer";
  if (spec_text(old, "type") == "LoadBalancer" && !balanced) {
    drop_if_same("allocateLoadBalancerNodePorts");
    drop_if_same("loadBalancerClass");
  }
  if (is_externally_accessible(old) && !is_externally_accessible(service))
    drop_if_same("externalTrafficPolicy");
  if (!balanced) object_member(service, "status").get_object()["loadBalancer"] = Object();
}

void default_port(Value& port) {
  default_member(port, "protocol", "TCP");
  const Value* target = model::find(port, {"targetPort"});
  const bool unset = target == nullptr || target->is_null() ||
                     (target->is_string() && target->get_string().empty()) ||
                     (!target->is_string() && model::int_at(*target, {}, 0) == 0);
  if (unset) port.get_object()["targetPort"] = model::int_at(port, {"port"}, 0);
}

void default_affinity(Value& spec) {
  default_member(spec, "sessionAffinity", "None");
  const std::string_view affinity = model::string_at(spec, {"sessionAffinity"});
  if (affinity == "None") spec.get_object().erase("sessionAffinityConfig");
  if (affinity == "ClientIP" &&
      model::find(spec, {"sessionAffinityConfig", "clientIP", "timeoutSeconds"}) == nullptr)
    spec.get_object()["sessionAffinityConfig"] =
        Object{{"clientIP", Object{{"timeoutSeconds", kAffinitySeconds}}}};
}

}  // namespace

bool is_headless(const Value& service) {
  const Array& ips = spec_list(service, "clusterIPs");
  return ips.size() == 1 && model::string_at(ips[0], {}) == "None";
}

bool is_externally_accessible(const Value& service) {
  return needs_node_port(service) ||
         (spec_text(service, "type") == "ClusterIP" && !spec_list(service, "externalIPs").empty());
}

bool needs_health_check(const Value& service) {
  return spec_text(service, "type") == "LoadBalancer" &&
         spec_text(service, "externalTrafficPolicy") == "Local";
}

void default_service(Value& service) {
  Value& spec = object_member(service, "spec");
  default_affinity(spec);
  default_member(spec, "type", "ClusterIP");
  each_element(spec, "ports", default_port);
  const std::string_view type = model::string_at(spec, {"type"});
  if (is_externally_accessible(service)) default_member(spec, "externalTrafficPolicy", "Cluster");
  if (type == "NodePort" || type == "LoadBalancer" || type == "ClusterIP")
    default_member(spec, "internalTrafficPolicy", "Cluster");
  if (type != "LoadBalancer") return;
  default_member(spec, "allocateLoadBalancerNodePorts", true);
  if (Value* balancer = model::find(service, {"status", "loadBalancer"}))
    each_element(*balancer, "ingress", [](Value& ingress) {
      if (!model::string_at(ingress, {"ip"}).empty()) default_member(ingress, "ipMode", "VIP");
    });
}

void prepare_service(Value& service) {
  service.get_object()["status"] = Object{{"loadBalancer", Object()}};
  align_cluster_ips(service, nullptr);
  init_families(service, nullptr);
  if (is_external_name(service)) spec_of(service).erase("internalTrafficPolicy");
}

void prepare_service_update(Value& service, const Value& old) {
  keep_allocated(service, old);
  align_cluster_ips(service, &old);
  init_families(service, &old);
  drop_fields_of_old_type(service, old);
  if (is_external_name(service)) spec_of(service).erase("internalTrafficPolicy");
}

}  // namespace holdfast::apiserver::core
