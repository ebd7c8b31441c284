#include "machine/names.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::node {
namespace {

using model::array_at;
using model::string_at;
using model::Value;

struct Endpoint {
  std::string address, hostname;
};

std::string service_of(const Value& slice) {
  return std::string(string_at(slice, {"metadata", "labels", "kubernetes.io/service-name"}));
}

/// Those that would be given out by name: ready ones, or all where the service says so (its slices
/// then call all ready).
std::vector<Endpoint> endpoints_of(const Value& slice) {
  std::vector<Endpoint> out;
  for (const Value& each : array_at(slice, {"endpoints"})) {
    if (!model::bool_at(each, {"conditions", "ready"}, true)) continue;
    for (const Value& address : array_at(each, {"addresses"}))
      if (address.is_string())
        out.push_back({std::string(model::view(address.get_string())),
                       std::string(string_at(each, {"hostname"}))});
  }
  return out;
}

void add_line(std::string& text, const std::string& address, const std::string& name,
              std::string_view ns, bool same_namespace) {
  text += fmt::format("{}\t{}.{}.svc.cluster.local {}.{}.svc {}.{}", address, name, ns, name, ns,
                      name, ns);
  if (same_namespace) text += " " + name;
  text += '\n';
}

std::string variable_name(std::string_view service) {
  std::string out;
  for (const char c : service)
    out += c == '-' ? '_' : char(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

std::string service_names(const std::string& ns, const std::vector<kube::Cached>& slices) {
  std::string text;
  for (const kube::Cached& cached : slices) {
    const std::shared_ptr<const Value> slice = cached.shared_value();
    const std::string service = service_of(*slice);
    if (service.empty()) continue;
    const bool same = cached.ns() == ns;
    for (const Endpoint& each : endpoints_of(*slice)) {
      if (!each.hostname.empty())
        add_line(text, each.address, each.hostname + "." + service, cached.ns(), same);
      add_line(text, each.address, service, cached.ns(), same);
    }
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> service_variables(
    const std::string& ns, const std::vector<kube::Cached>& services) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const kube::Cached& cached : services) {
    if (cached.ns() != ns || cached.name() == "kubernetes") continue;
    const std::shared_ptr<const Value> service = cached.shared_value();
    std::string ip(string_at(*service, {"spec", "clusterIP"}));
    if (ip == "None") continue;
    // A service without an address of its own is its name, which resolves to its pods.
    if (ip.empty()) ip = fmt::format("{}.{}.svc.cluster.local", cached.name(), ns);
    const std::string name = variable_name(cached.name());
    out.emplace_back(name + "_SERVICE_HOST", ip);
    bool first = true;
    for (const Value& port : array_at(*service, {"spec", "ports"})) {
      const std::string number = std::to_string(model::int_at(port, {"port"}, 0));
      if (first) out.emplace_back(name + "_SERVICE_PORT", number);
      if (const std::string_view port_name = string_at(port, {"name"}); !port_name.empty())
        out.emplace_back(name + "_SERVICE_PORT_" + variable_name(port_name), number);
      const std::string_view said = string_at(port, {"protocol"});
      const std::string protocol = said.empty() ? "tcp" : to_lower(said);
      const std::string where = fmt::format("{}://{}:{}", protocol, ip, number);
      if (first) out.emplace_back(name + "_PORT", where);
      const std::string prefix =
          fmt::format("{}_PORT_{}_{}", name, number, variable_name(protocol));
      out.emplace_back(prefix, where);
      out.emplace_back(prefix + "_PROTO", protocol);
      out.emplace_back(prefix + "_PORT", number);
      out.emplace_back(prefix + "_ADDR", ip);
      first = false;
    }
  }
  return out;
}

}  // namespace holdfast::node
