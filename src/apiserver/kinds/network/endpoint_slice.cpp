/// EndpointSlice: addresses of one family with the ports they share.
#include <holdfast/base/text.h>

#include "kinds/addresses.h"
#include "kinds/network/network.h"
#include "kinds/selectors.h"

#include <set>

namespace holdfast::apiserver::network {

using model::Value;

namespace {

constexpr size_t kMaxAddresses = 100;
constexpr size_t kMaxPorts = 20000;
constexpr size_t kMaxEndpoints = 1000;
constexpr size_t kMaxTopologyLabels = 16;
constexpr size_t kMaxHints = 8;

void set_defaults(Value& slice) {
  each_element(slice, "ports", [](Value& port) {
    default_member(port, "name", "");
    default_member(port, "protocol", "TCP");
  });
}

bool too_many(const Place& list, size_t most) {
  const size_t count = list.value().is_object() ? list.members().size() : list.items().size();
  if (count <= most) return false;
  list.too_many(static_cast<int64_t>(count), static_cast<int64_t>(most));
  return true;
}

void check_domain(const Place& name) {
  if (name.empty()) return name.required();
  std::string_view text = name.text();
  if (text.ends_with('.')) text.remove_suffix(1);
  if (const auto complaints = model::check_dns1123_subdomain(text); !complaints.empty())
    return name.invalid(Value(text), join(complaints, ","));
  const auto labels = split(text, '.');
  if (labels.size() < 2)
    return name.invalid(Value(text),
                        "should be a domain with at least two segments separated by dots");
  for (std::string_view label : labels)
    if (const auto complaints = model::check_dns1123_label(label); !complaints.empty())
      return name.invalid(Value(label), join(complaints, ","));
}

void check_address(const Place& address, const Place& list, std::string_view type) {
  if (type == "FQDN") return check_domain(address);
  if (type != "IPv4" && type != "IPv6") return;
  const size_t errors = address.errors().size();
  if (type == "IPv4")
    check_ip(address);
  else
    check_strict_ip(address);
  if (address.errors().size() != errors) return;
  if (is_ipv6(address.text()) != (type == "IPv6"))
    list.invalid(address.value(), "must be an " + std::string(type) + " address");
  check_endpoint_ip(address);
}

void check_hints(const Place& hints) {
  if (too_many(hints["forZones"], kMaxHints)) return;
  std::set<std::string_view> seen;
  hints["forZones"].each([&](const Place& zone) {
    if (!seen.insert(zone["name"].text()).second) zone["name"].duplicate();
    zone["name"].accept(model::check_label_value(zone["name"].text()));
  });
  if (too_many(hints["forNodes"], kMaxHints)) return;
  seen.clear();
  hints["forNodes"].each([&](const Place& node) {
    if (!seen.insert(node["name"].text()).second) node["name"].duplicate();
    node["name"].dns_subdomain();
  });
}

void check_endpoint(const Place& endpoint, std::string_view type) {
  const Place addresses = endpoint["addresses"];
  if (addresses.need("must contain at least 1 address")) too_many(addresses, kMaxAddresses);
  addresses.each([&](const Place& address) { check_address(address, addresses, type); });
  if (endpoint["nodeName"].present()) endpoint["nodeName"].dns_subdomain();
  too_many(endpoint["deprecatedTopology"], kMaxTopologyLabels);
  check_labels(endpoint["deprecatedTopology"]);
  if (endpoint["hostname"].present()) endpoint["hostname"].dns_label();
  check_hints(endpoint["hints"]);
}

void check_slice(const Place& slice, bool same_endpoints) {
  slice["addressType"].need_one_of({"FQDN", "IPv4", "IPv6"});
  if (!too_many(slice["ports"], kMaxPorts)) {
    std::set<std::string_view> names;
    slice["ports"].each([&](const Place& port) {
      if (!port["name"].empty()) port["name"].dns_label();
      if (!names.insert(port["name"].text()).second) port["name"].duplicate();
      port["protocol"].need_one_of({"SCTP", "TCP", "UDP"});
      if (port["appProtocol"].present()) port["appProtocol"].qualified_name();
    });
  }
  if (same_endpoints || too_many(slice["endpoints"], kMaxEndpoints)) return;
  slice["endpoints"].each(
      [&](const Place& endpoint) { check_endpoint(endpoint, slice["addressType"].text()); });
}

void validate(const Value& slice, model::FieldErrors& errors) {
  check_slice(Place(slice, errors), false);
}

/// Endpoints that an older server took stay as they are.
void validate_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  const Place slice(object, errors);
  check_slice(slice, slice["endpoints"].items() == model::array_at(old, {"endpoints"}));
  const Value* type = model::find(old, {"addressType"});
  immutable(slice["addressType"], type == nullptr ? Value() : *type);
}

void warn(const Value& slice, std::vector<std::string>& warnings) {
  if (model::string_at(slice, {"addressType"}) == "FQDN")
    warnings.push_back("spec.addressType: FQDN endpoints are deprecated");
  const model::Array& endpoints = model::array_at(slice, {"endpoints"});
  for (size_t i = 0; i < endpoints.size(); ++i) {
    const model::Array& addresses = model::array_at(endpoints[i], {"addresses"});
    const std::string path = model::child(model::at("endpoints", i), "addresses");
    for (size_t j = 0; j < addresses.size(); ++j)
      warn_about_ip(model::at(path, j), model::string_at(addresses[j], {}), warnings);
  }
}

}  // namespace

constinit const KindRules kEndpointSlice = {
    .group = "discovery.k8s.io",
    .kind = "EndpointSlice",
    .set_defaults = set_defaults,
    .validate = validate,
    .validate_update = validate_update,
    .warn = warn,
};

}  // namespace holdfast::apiserver::network
