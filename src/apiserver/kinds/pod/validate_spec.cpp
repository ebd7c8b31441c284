/// The pod spec as a whole: the order in which its parts are checked is the order of the errors.
#include <holdfast/base/text.h>

#include "kinds/pod/pod.h"
#include "kinds/selectors.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

constexpr std::string_view kMirrorPod = "kubernetes.io/config.mirror";
constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";

Surroundings surroundings_of(const Place& spec) {
  Surroundings around;
  around.grace_period = spec["terminationGracePeriodSeconds"].number(30);
  around.restart_policy = spec["restartPolicy"].text();
  around.os = spec["os"]["name"].text();
  around.host_users = spec["hostUsers"].flag(true);
  for (const Value& claim : spec["resourceClaims"].items())
    if (const auto name = model::string_at(claim, {"name"}); !name.empty())
      around.claims.emplace(name);
  return around;
}

Value shown_claim(const Place& claim) {
  Value shown = go_form(claim.value(), {"Name", "ResourceClaimName", "ResourceClaimTemplateName"});
  return shown;
}

void check_resource_claims(const Place& claims, const Value* pod_metadata) {
  if (!claims.empty() && pod_metadata != nullptr &&
      model::find(*pod_metadata, {"annotations", kMirrorPod}) != nullptr)
    return claims.as("").forbidden("static pods do not support resource claims");
  std::set<std::string, std::less<>> seen;
  claims.each([&](const Place& claim) {
    const Place name = claim["name"];
    if (name.need()) {
      if (!seen.emplace(name.text()).second)
        name.duplicate();
      else
        name.dns_label();
    }
    const Place direct = claim["resourceClaimName"];
    const Place made = claim["resourceClaimTemplateName"];
    if (direct.present() && made.present())
      claim.invalid(
          shown_claim(claim),
          "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
    if (!direct.present() && !made.present())
      claim.invalid(shown_claim(claim),
                    "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    if (direct.present()) direct.dns_subdomain();
    if (made.present()) made.dns_subdomain();
  });
}

void check_host_ports_equal(const Place& spec, bool is_pod) {
  if (!spec["hostNetwork"].flag()) return;
  spec["containers"].each([&](const Place& container) {
    container["ports"].each([&](const Place& port) {
      const int64_t host = port["hostPort"].number();
      if ((is_pod || host != 0) && host != port["containerPort"].number())
        port["hostPort"].invalid(Value(host),
                                 "must match `containerPort` when `hostNetwork` is true");
    });
  });
}

void check_gates(const Place& spec) {
  spec["readinessGates"].each([](const Place& gate) { gate["conditionType"].qualified_name(); });
  std::set<std::string, std::less<>> seen;
  spec["schedulingGates"].each([&](const Place& gate) {
    const Place name = gate["name"].as(gate.path());
    name.qualified_name();
    if (!seen.emplace(name.text()).second) name.duplicate();
  });
}

void check_user_namespace(const Place& spec) {
  if (spec["hostUsers"].flag(true)) return;
  constexpr std::string_view kWhy = "when `hostUsers` is false";
  if (spec["hostNetwork"].flag()) spec["hostNetwork"].forbidden(std::string(kWhy));
  if (spec["hostPID"].flag()) spec["HostPID"].forbidden(std::string(kWhy));
  if (spec["hostIPC"].flag()) spec["HostIPC"].forbidden(std::string(kWhy));
  each_container(spec, [&](const Place& container) {
    if (!container["volumeDevices"].empty())
      container["volumeDevices"].forbidden(std::string(kWhy));
  });
}

/// Members that are a name or a number with its own rule.
void check_plain_members(const Place& spec, const Surroundings& around) {
  for (std::string_view name : {"serviceAccountName", "nodeName"})
    if (!spec[name].empty()) spec[name].dns_subdomain();
  spec["activeDeadlineSeconds"].between(1, std::numeric_limits<int32_t>::max());
  for (std::string_view name : {"hostname", "subdomain"})
    if (!spec[name].empty()) spec[name].dns_label();
  check_tolerations(spec["tolerations"]);
  spec["hostAliases"].each([](const Place& alias) {
    check_ip(alias["ip"]);
    alias["hostnames"].each([](const Place& name) { name.dns_subdomain(); });
  });
  if (!spec["priorityClassName"].empty()) spec["priorityClassName"].dns_subdomain();
  if (spec["runtimeClassName"].present()) spec["runtimeClassName"].dns_subdomain();
  if (spec["preemptionPolicy"].present())
    spec["preemptionPolicy"].need_one_of({"PreemptLowerPriority", "Never"});
  check_overhead(spec["overhead"], around);
}

bool is_int32(std::string_view text) {
  if (text == "0") return true;
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || digits.front() < '1' || digits.front() > '9')
    return false;  // no "+", no leading zero
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

const Value* Surroundings::volume(std::string_view name) const {
  for (const auto& [known, source] : volumes)
    if (known == name) return source;
  return nullptr;
}

void check_spec(const Place& spec, const Value* pod_metadata) {
  if (!spec["terminationGracePeriodSeconds"].present())
    spec["terminationGracePeriodSeconds"].required();
  Surroundings around = surroundings_of(spec);
  check_volumes(spec["volumes"], pod_metadata, around);
  check_resource_claims(spec["resourceClaims"], pod_metadata);
  check_containers(spec, around);
  check_init_containers(spec, around);
  check_ephemeral_containers(spec, around);
  check_pod_level_resources(spec, around);
  check_host_ports_equal(spec, pod_metadata != nullptr);
  spec["restartPolicy"].need_one_of({"Always", "OnFailure", "Never"});
  spec["dnsPolicy"].need_one_of({"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
  check_labels(spec["nodeSelector"]);
  check_pod_security(spec);
  check_affinity(spec["affinity"]);
  check_dns(spec);
  check_gates(spec);
  check_spread(spec["topologySpreadConstraints"]);
  check_host_process(spec);
  check_user_namespace(spec);
  check_plain_members(spec, around);
  check_os(spec);
}

void check_pod_annotations(const Place& annotations, const Place& spec) {
  const Place mirror = annotations.entry(kMirrorPod);
  if (mirror.present() && spec["nodeName"].empty())
    mirror.invalid("must set spec.nodeName if mirror pod annotation is set");
  const Place cost = annotations.entry(kDeletionCost);
  if (cost.present() && !is_int32(cost.text())) cost.invalid("must be a 32bit integer");
}

void check_template(const Place& pod_template) {
  const Place metadata = pod_template["metadata"];
  const Place annotations =
      metadata["annotations"].as(model::child(pod_template.path(), "annotations"));
  const Place spec = pod_template["spec"];
  check_labels(metadata["labels"].as(model::child(pod_template.path(), "labels")));
  check_annotations(annotations);
  check_pod_annotations(annotations, spec);
  check_spec(spec, nullptr);
  check_profiles_match_annotations(annotations.value(), spec);
  if (!spec["ephemeralContainers"].empty())
    spec["ephemeralContainers"].forbidden("ephemeral containers not allowed in pod template");
}

}  // namespace holdfast::apiserver::pod
