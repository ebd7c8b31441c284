// Cells of services and what routes to them.
#include <holdfast/base/text.h>

#include "tables/cell_text.h"
#include "tables/printers.h"

#include <set>

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::Value;

constexpr std::string_view kNetworking = "networking.k8s.io";
constexpr size_t kMostShown = 3;

// Sorted and without repetition: IPs, or host names where there is no IP.
std::vector<std::string> balancer_addresses(const Value& object) {
  std::set<std::string> addresses;
  for (const Value& ingress : model::array_at(object, {"status", "loadBalancer", "ingress"})) {
    const std::string_view address =
        filled_at(ingress, {"ip"}, model::string_at(ingress, {"hostname"}));
    if (!address.empty()) addresses.emplace(address);
  }
  return {addresses.begin(), addresses.end()};
}

std::string external_ip(const Value& object) {
  const std::string_view type = model::string_at(object, {"spec", "type"});
  std::vector<std::string> ips = strings_at(object, {"spec", "externalIPs"});
  if (type == "ClusterIP" || type == "NodePort") return ips.empty() ? "<none>" : join(ips, ",");
  if (type == "ExternalName")
    return std::string(model::string_at(object, {"spec", "externalName"}));
  if (type != "LoadBalancer") return "<unknown>";
  std::vector<std::string> all = balancer_addresses(object);
  all.insert(all.end(), ips.begin(), ips.end());
  return all.empty() ? "<pending>" : join(all, ",");
}

std::string service_ports(const Value& object) {
  std::vector<std::string> parts;
  for (const Value& port : model::array_at(object, {"spec", "ports"})) {
    std::string part = std::to_string(model::int_at(port, {"port"}, 0));
    const int64_t node_port = model::int_at(port, {"nodePort"}, 0);
    if (node_port > 0) part += ":" + std::to_string(node_port);
    parts.push_back(part + "/" + std::string(model::string_at(port, {"protocol"})));
  }
  return parts.empty() ? "<none>" : join(parts, ",");
}

void service(const Value& object, WallTime now, Array& cells) {
  const std::vector<std::string> ips = strings_at(object, {"spec", "clusterIPs"});
  add_cells(
      cells, name_of(object), model::string_at(object, {"spec", "type"}),
      ips.empty() ? filled_at(object, {"spec", "clusterIP"}, "<none>") : std::string_view(ips[0]),
      external_ip(object), service_ports(object), age_of(object, now),
      labels_text(model::object_at(object, {"spec", "selector"})));
}

std::string host_and_port(std::string_view host, int64_t port) {
  const bool six = host.find(':') != std::string_view::npos;
  return (six ? "[" + std::string(host) + "]" : std::string(host)) + ":" + std::to_string(port);
}

std::string endpoints_cell(const Value& object) {
  const Array& subsets = model::array_at(object, {"subsets"});
  if (subsets.empty()) return "<none>";
  std::vector<std::string> all;
  for (const Value& subset : subsets) {
    const Array& addresses = model::array_at(subset, {"addresses"});
    const Array& ports = model::array_at(subset, {"ports"});
    if (ports.empty())
      for (const Value& address : addresses) all.emplace_back(model::string_at(address, {"ip"}));
    for (const Value& port : ports)
      for (const Value& address : addresses)
        all.push_back(
            host_and_port(model::string_at(address, {"ip"}), model::int_at(port, {"port"}, 0)));
  }
  return shortened(all, kMostShown, ",");
}

void endpoints(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), endpoints_cell(object), age_of(object, now));
}

std::string shown_or_unset(const std::vector<std::string>& all) {
  const std::string text = shortened(all, kMostShown, ",");
  return text.empty() ? "<unset>" : text;
}

void endpoint_slice(const Value& object, WallTime now, Array& cells) {
  std::vector<std::string> ports, addresses;
  for (const Value& port : model::array_at(object, {"ports"})) {
    const Value* number = model::find(port, {"port"});
    if (number != nullptr && number->is_number())
      ports.push_back(std::to_string(model::int_at(port, {"port"}, 0)));
    else
      ports.emplace_back(text_at(port, {"name"}, "*"));
  }
  for (const Value& endpoint : model::array_at(object, {"endpoints"}))
    for (std::string& address : strings_at(endpoint, {"addresses"}))
      addresses.push_back(std::move(address));
  add_cells(cells, name_of(object), model::string_at(object, {"addressType"}),
            shown_or_unset(ports), shown_or_unset(addresses), age_of(object, now));
}

// Once three hosts are found, every further rule makes the list "longer", named or not; what is
// left counts rules, not hosts.
std::string ingress_hosts(const Value& object) {
  const Array& rules = model::array_at(object, {"spec", "rules"});
  std::vector<std::string> hosts;
  bool more = false;
  for (const Value& rule : rules) {
    if (hosts.size() == kMostShown) more = true;
    const std::string_view host = model::string_at(rule, {"host"});
    if (!more && !host.empty()) hosts.emplace_back(host);
  }
  if (hosts.empty()) return "*";
  const std::string text = join(hosts, ",");
  return more ? text + " + " + std::to_string(rules.size() - kMostShown) + " more..." : text;
}

void ingress(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), text_at(object, {"spec", "ingressClassName"}, "<none>"),
            ingress_hosts(object), join(balancer_addresses(object), ","),
            count_at(object, {"spec", "tls"}) > 0 ? "80, 443" : "80", age_of(object, now));
}

void ingress_class(const Value& object, WallTime now, Array& cells) {
  std::string parameters = "<none>";
  const Value* given = model::find(object, {"spec", "parameters"});
  if (given != nullptr && given->is_object()) {
    parameters = model::string_at(*given, {"kind"});
    if (const Value* group = model::find(*given, {"apiGroup"}); group && group->is_string())
      parameters += "." + std::string(model::view(group->get_string()));
    parameters += "/" + std::string(model::string_at(*given, {"name"}));
  }
  add_cells(cells, name_of(object), model::string_at(object, {"spec", "controller"}), parameters,
            age_of(object, now));
}

void network_policy(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), selector_text(model::find(object, {"spec", "podSelector"})),
            age_of(object, now));
}

void service_cidr(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), join(strings_at(object, {"spec", "cidrs"}), ","),
            age_of(object, now));
}

// The real server gives an age here for which it has no column.
void ip_address(const Value& object, WallTime now, Array& cells) {
  std::string parent = "<none>";
  const Value* ref = model::find(object, {"spec", "parentRef"});
  if (ref != nullptr && ref->is_object()) {
    parent = to_lower(model::string_at(*ref, {"resource"}));
    const std::string_view group = model::string_at(*ref, {"group"});
    if (!group.empty()) parent += "." + to_lower(group);
    const std::string_view ns = model::string_at(*ref, {"namespace"});
    if (!ns.empty()) parent += "/" + std::string(ns);
    parent += "/" + std::string(model::string_at(*ref, {"name"}));
  }
  add_cells(cells, name_of(object), parent, age_of(object, now));
}

}  // namespace

void add_network_printers(Printers& printers) {
  printers.push_back({"",
                      "Service",
                      {kNameColumn,
                       {"Type"},
                       {"Cluster-IP"},
                       {"External-IP"},
                       {"Port(s)"},
                       kAgeColumn,
                       kSelectorColumn},
                      service});
  printers.push_back({"", "Endpoints", {kNameColumn, {"Endpoints"}, kAgeColumn}, endpoints});
  printers.push_back({"discovery.k8s.io",
                      "EndpointSlice",
                      {kNameColumn, {"AddressType"}, {"Ports"}, {"Endpoints"}, kAgeColumn},
                      endpoint_slice});
  printers.push_back({kNetworking,
                      "Ingress",
                      {kNameColumn, {"Class"}, {"Hosts"}, {"Address"}, {"Ports"}, kAgeColumn},
                      ingress});
  printers.push_back({kNetworking,
                      "IngressClass",
                      {kNameColumn, {"Controller"}, {"Parameters"}, kAgeColumn},
                      ingress_class});
  printers.push_back(
      {kNetworking, "NetworkPolicy", {kNameColumn, {"Pod-Selector"}, kAgeColumn}, network_policy});
  printers.push_back(
      {kNetworking, "ServiceCIDR", {kNameColumn, {"CIDRs"}, kAgeColumn}, service_cidr});
  printers.push_back({kNetworking, "IPAddress", {kNameColumn, {"ParentRef"}}, ip_address});
}

}  // namespace holdfast::apiserver
