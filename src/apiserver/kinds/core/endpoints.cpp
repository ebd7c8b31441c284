/// Endpoints: addresses behind a service, in the old form that old clients still write.
#include "kinds/addresses.h"
#include "kinds/core/core.h"

namespace holdfast::apiserver::core {

using model::Value;

namespace {

void set_defaults(Value& endpoints) {
  each_element(endpoints, "subsets", [](Value& subset) {
    each_element(subset, "ports", [](Value& port) { default_member(port, "protocol", "TCP"); });
  });
}

void check_address(const Place& address) {
  check_ip(address["ip"]);
  if (!address["hostname"].empty()) address["hostname"].dns_label();
  if (address["nodeName"].present()) address["nodeName"].dns_subdomain();
  check_endpoint_ip(address["ip"]);
}

void check_port(const Place& port, bool needs_name) {
  if (!port["name"].empty())
    port["name"].dns_label();
  else if (needs_name)
    port["name"].required();
  for (std::string& complaint : model::check_port_number(port["port"].number()))
    port["port"].invalid(Value(port["port"].number()), std::move(complaint));
  port["protocol"].need_one_of({"SCTP", "TCP", "UDP"});
  if (port["appProtocol"].present()) port["appProtocol"].qualified_name();
}

void validate(const Value& endpoints, model::FieldErrors& errors) {
  Place(endpoints, errors)["subsets"].each([](const Place& subset) {
    if (subset["addresses"].empty() && subset["notReadyAddresses"].empty())
      subset.required("must specify `addresses` or `notReadyAddresses`");
    subset["addresses"].each(check_address);
    subset["notReadyAddresses"].each(check_address);
    subset["ports"].each(
        [&](const Place& port) { check_port(port, subset["ports"].items().size() > 1); });
  });
}

/// Subsets that an older server took stay as they are.
void validate_update(const Value& endpoints, const Value& old, model::FieldErrors& errors) {
  if (model::array_at(endpoints, {"subsets"}) != model::array_at(old, {"subsets"}))
    validate(endpoints, errors);
}

void warn(const Value& endpoints, std::vector<std::string>& warnings) {
  const model::Array& subsets = model::array_at(endpoints, {"subsets"});
  for (size_t i = 0; i < subsets.size(); ++i)
    for (std::string_view list : {"addresses", "notReadyAddresses"}) {
      const model::Array& addresses = model::array_at(subsets[i], {list});
      const std::string path = model::child(model::at("subsets", i), list);
      for (size_t j = 0; j < addresses.size(); ++j)
        warn_about_ip(model::child(model::at(path, j), "ip"),
                      model::string_at(addresses[j], {"ip"}), warnings);
    }
}

}  // namespace

constinit const KindRules kEndpoints = {
    .group = "",
    .kind = "Endpoints",
    .set_defaults = set_defaults,
    .validate = validate,
    .validate_update = validate_update,
    .warn = warn,
};

}  // namespace holdfast::apiserver::core
