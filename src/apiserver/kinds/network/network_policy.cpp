/// NetworkPolicy: which ports and peers a rule names.
#include "kinds/addresses.h"
#include "kinds/network/network.h"
#include "kinds/selectors.h"

namespace holdfast::apiserver::network {

using model::Value;

namespace {

void set_defaults(Value& policy) {
  Value& spec = object_member(policy, "spec");
  for (std::string_view list : {"ingress", "egress"})
    each_element(spec, list, [](Value& rule) {
      each_element(rule, "ports", [](Value& port) { default_member(port, "protocol", "TCP"); });
    });
  if (!model::array_at(spec, {"policyTypes"}).empty()) return;
  model::Array types{Value("Ingress")};
  if (!model::array_at(spec, {"egress"}).empty()) types.emplace_back("Egress");
  spec.get_object()["policyTypes"] = std::move(types);
}

void check_port(const Place& rule) {
  rule["protocol"].one_of_if_present({"TCP", "UDP", "SCTP"});
  const Place port = rule["port"];
  const Place end = rule["endPort"];
  if (!port.present()) {
    if (end.present()) end.invalid("may not be specified when `port` is not specified");
  } else if (port.value().is_string()) {
    if (end.present()) end.invalid("may not be specified when `port` is non-numeric");
    port.accept(model::check_port_name(port.text()));
  } else {
    port.accept(model::check_port_number(port.number()));
    if (!end.present()) return;
    if (end.number() < port.number())
      end.invalid(port.value(), "must be greater than or equal to `port`");
    end.accept(model::check_port_number(end.number()));
  }
}

bool is_strict_subset(const Cidr& inner, const Cidr& outer) {
  if (inner.network.is_v4() != outer.network.is_v4() || inner.bits <= outer.bits) return false;
  const int skipped = outer.network.is_v4() ? 96 : 0;
  for (int bit = 0; bit < outer.bits + skipped; ++bit) {
    const auto byte = static_cast<size_t>(bit / 8);
    const int mask = 0x80 >> (bit % 8);
    if ((inner.network.bytes[byte] & mask) != (outer.network.bytes[byte] & mask)) return false;
  }
  return true;
}

void check_block(const Place& block) {
  const Place range = block["cidr"];
  if (range.empty()) return range.required();
  check_cidr(range, range.text());
  const auto outer = parse_cidr(range.text());
  if (!outer) return;
  block["except"].each([&](const Place& hole) {
    check_cidr(hole, hole.text());
    const auto inner = parse_cidr(hole.text());
    if (inner && !is_strict_subset(*inner, *outer))
      hole.invalid("must be a strict subset of `cidr`");
  });
}

void check_peer(const Place& peer) {
  int count = 0;
  for (std::string_view name : {"podSelector", "namespaceSelector"}) {
    if (!peer[name].present()) continue;
    ++count;
    check_label_selector(peer[name]);
  }
  const bool block = peer["ipBlock"].present();
  if (block) check_block(peer["ipBlock"]);
  if (count == 0 && !block) peer.required("must specify a peer");
  if (count > 0 && block) peer.forbidden("may not specify both ipBlock and another peer");
}

void check_rules(const Place& rules, std::string_view peers) {
  rules.each([&](const Place& rule) {
    rule["ports"].each(check_port);
    rule[peers].each(check_peer);
  });
}

void validate(const Value& policy, model::FieldErrors& errors) {
  const Place spec = Place(policy, errors)["spec"];
  check_label_selector(spec["podSelector"]);
  check_rules(spec["ingress"], "from");
  check_rules(spec["egress"], "to");
  const Place types = spec["policyTypes"];
  if (types.items().size() > 2) return types.invalid("may not specify more than two policyTypes");
  types.each([](const Place& type) { type.one_of({"Ingress", "Egress"}); });
}

void warn_about_peers(const Value& policy, std::string_view list, std::string_view peers,
                      std::vector<std::string>& warnings) {
  const model::Array& rules = model::array_at(policy, {"spec", list});
  for (size_t i = 0; i < rules.size(); ++i) {
    const model::Array& named = model::array_at(rules[i], {peers});
    for (size_t j = 0; j < named.size(); ++j) {
      const Value* block = model::find(named[j], {"ipBlock"});
      if (block == nullptr) continue;
      const std::string path = model::child(
          model::at(model::child(model::at(model::child("spec", list), i), peers), j), "ipBlock");
      warn_about_cidr(model::child(path, "cidr"), model::string_at(*block, {"cidr"}), warnings);
      const model::Array& holes = model::array_at(*block, {"except"});
      for (size_t k = 0; k < holes.size(); ++k)
        warn_about_cidr(model::at(model::child(path, "except"), k), model::string_at(holes[k], {}),
                        warnings);
    }
  }
}

}  // namespace

constinit const KindRules kNetworkPolicy = {
    .group = "networking.k8s.io",
    .kind = "NetworkPolicy",
    .set_defaults = set_defaults,
    .validate = validate,
    // The real server looks at the spec twice, and says twice what is wrong with it.
    .validate_update =
        [](const Value& policy, const Value&, model::FieldErrors& errors) {
          validate(policy, errors);
          validate(policy, errors);
        },
    .warn =
        [](const Value& policy, std::vector<std::string>& warnings) {
          warn_about_peers(policy, "ingress", "from", warnings);
          warn_about_peers(policy, "egress", "to", warnings);
        },
};

}  // namespace holdfast::apiserver::network
