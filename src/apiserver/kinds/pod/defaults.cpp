/// Defaults of a pod spec, as tables of member and value where a table suffices.
#include "kinds/pod/amounts.h"
#include "kinds/pod/image.h"
#include "kinds/pod/pod.h"

#include <fmt/format.h>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

struct Default {
  std::string_view member;
  Value value;
};
using Defaults = std::vector<Default>;

constexpr int64_t kFileMode = 0644;

void fill(Value& object, const Defaults& defaults) {
  for (const Default& each : defaults) default_member(object, each.member, each.value);
}

const Defaults& spec_defaults() {
  static const Defaults table{{"restartPolicy", "Always"},
                              {"terminationGracePeriodSeconds", 30},
                              {"dnsPolicy", "ClusterFirst"},
                              {"securityContext", model::Object()},
                              {"schedulerName", "default-scheduler"}};
  return table;
}

const Defaults& probe_defaults() {
  static const Defaults table{{"timeoutSeconds", 1},
                              {"periodSeconds", 10},
                              {"successThreshold", 1},
                              {"failureThreshold", 3}};
  return table;
}

/// By volume source. Only members of the source itself; what lies deeper is in `default_volume`.
const std::vector<std::pair<std::string_view, Defaults>>& volume_defaults() {
  static const std::vector<std::pair<std::string_view, Defaults>> table{
      {"hostPath", {{"type", ""}}},
      {"secret", {{"defaultMode", kFileMode}}},
      {"configMap", {{"defaultMode", kFileMode}}},
      {"downwardAPI", {{"defaultMode", kFileMode}}},
      {"projected", {{"defaultMode", kFileMode}}},
      {"iscsi", {{"iscsiInterface", "default"}}},
      {"rbd", {{"pool", "rbd"}, {"user", "admin"}, {"keyring", "/etc/ceph/keyring"}}},
      {"azureDisk",
       {{"cachingMode", "ReadWrite"}, {"fsType", "ext4"}, {"readOnly", false}, {"kind", "Shared"}}},
      {"scaleIO", {{"storageMode", "ThinProvisioned"}, {"fsType", "xfs"}}},
  };
  return table;
}

void default_field_ref(Value& holder) {
  if (Value* ref = model::find(holder, {"fieldRef"})) default_member(*ref, "apiVersion", "v1");
}

/// Amounts finer than a thousandth are rounded up.
void round_up(Value& owner, std::string_view member) {
  Value* list = model::find(owner, {member});
  if (list == nullptr || !list->is_object()) return;
  for (auto& entry : list->get_object()) {
    auto amount = model::Quantity::parse(model::string_at(entry.value(), {}));
    if (!amount) continue;
    auto rounded = model::Quantity::parse(fmt::format("{}m", amount->milli_value()));
    if (rounded && *rounded > *amount) entry.value() = rounded->text();
  }
}

void round_up_resources(Value& holder) {
  Value* resources = model::find(holder, {"resources"});
  if (resources == nullptr) return;
  round_up(*resources, "limits");
  round_up(*resources, "requests");
}

void default_http_get(Value& handler) {
  if (Value* get = model::find(handler, {"httpGet"}))
    fill(*get, {{"path", "/"}, {"scheme", "HTTP"}});
}

std::string_view pull_policy(std::string_view image) {
  return image_tag(image) == "latest" ? "Always" : "IfNotPresent";
}

void default_container(Value& container) {
  fill(container, {{"imagePullPolicy", Value(pull_policy(model::string_at(container, {"image"})))},
                   {"terminationMessagePath", "/dev/termination-log"},
                   {"terminationMessagePolicy", "File"}});
  each_element(container, "ports", [](Value& port) { default_member(port, "protocol", "TCP"); });
  each_element(container, "env", [](Value& variable) {
    Value* from = model::find(variable, {"valueFrom"});
    if (from == nullptr) return;
    default_field_ref(*from);
    if (Value* file = model::find(*from, {"fileKeyRef"})) default_member(*file, "optional", false);
  });
  round_up_resources(container);
  for (std::string_view name : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    Value* probe = model::find(container, {name});
    if (probe == nullptr) continue;
    fill(*probe, probe_defaults());
    default_http_get(*probe);
    if (Value* grpc = model::find(*probe, {"grpc"})) default_member(*grpc, "service", "");
  }
  for (std::string_view name : {"postStart", "preStop"})
    if (Value* handler = model::find(container, {"lifecycle", name})) default_http_get(*handler);
}

void default_volume(Value& volume) {
  if (volume.get_object().size() <= 1) volume.get_object()["emptyDir"] = model::Object();
  for (const auto& [source, defaults] : volume_defaults())
    if (Value* found = model::find(volume, {source})) fill(*found, defaults);
  if (Value* downward = model::find(volume, {"downwardAPI"}))
    each_element(*downward, "items", default_field_ref);
  if (Value* projected = model::find(volume, {"projected"}))
    each_element(*projected, "sources", [](Value& source) {
      if (Value* downward = model::find(source, {"downwardAPI"}))
        each_element(*downward, "items", default_field_ref);
      if (Value* token = model::find(source, {"serviceAccountToken"}))
        default_member(*token, "expirationSeconds", 3600);
    });
  if (Value* claim = model::find(volume, {"ephemeral", "volumeClaimTemplate"}))
    default_claim_spec(object_member(*claim, "spec"));
}

void request_what_is_limited(Value& container) {
  Value* limits = model::find(container, {"resources", "limits"});
  if (limits == nullptr || !limits->is_object()) return;
  const model::Object copy = limits->get_object();
  Value& requests = object_member(*model::find(container, {"resources"}), "requests");
  for (const auto& limit : copy) requests.get_object().emplace(limit.key(), limit.value());
}

void use_host_ports(Value& container) {
  each_element(container, "ports", [](Value& port) {
    if (model::int_at(port, {"hostPort"}, 0) == 0)
      port.get_object()["hostPort"] = model::int_at(port, {"containerPort"}, 0);
  });
}

/// The pod's own limits and requests, filled from what its containers say together.
void default_pod_level(Value& spec) {
  Value* resources = model::find(spec, {"resources"});
  if (resources == nullptr) return;
  const auto& limits = model::object_at(*resources, {"limits"});
  const auto& requests = model::object_at(*resources, {"requests"});
  if (limits.empty() && requests.empty()) return;
  for (const auto& [name, amount] : aggregate_containers(spec, "limits"))
    if (is_huge_page(name) && !requests.contains(name) && !limits.contains(name))
      object_member(*resources, "limits").get_object()[name] = amount.text();

  const model::Object limited = model::object_at(*resources, {"limits"});
  if (limited.empty()) return;
  model::Object filled = model::object_at(*resources, {"requests"});
  for (const auto& [name, amount] : aggregate_containers(spec, "requests"))
    if (is_pod_level(name) && overcommit_allowed(name)) filled.emplace(name, amount.text());
  for (const auto& limit : limited)
    if (is_pod_level(limit.key())) filled.emplace(limit.key(), limit.value());
  if (!filled.empty()) resources->get_object()["requests"] = std::move(filled);
}

}  // namespace

void default_claim_spec(Value& spec) {
  default_member(spec, "volumeMode", "Filesystem");
  round_up_resources(spec);
}

void align_service_account(Value& spec) {
  const std::string name(model::string_at(spec, {"serviceAccountName"}));
  const std::string alias(model::string_at(spec, {"serviceAccount"}));
  if (name.empty() && alias.empty()) return;
  const Value chosen(name.empty() ? alias : name);
  spec.get_object()["serviceAccountName"] = chosen;
  spec.get_object()["serviceAccount"] = chosen;
}

void default_pod_spec(Value& spec) {
  align_service_account(spec);
  fill(spec, spec_defaults());
  each_element(spec, "volumes", default_volume);
  for (std::string_view list : {"initContainers", "containers", "ephemeralContainers"})
    each_element(spec, list, default_container);
  round_up(spec, "overhead");
  round_up_resources(spec);
}

void default_pod_resources(Value& spec) {
  for (std::string_view list : {"containers", "initContainers"})
    each_element(spec, list, request_what_is_limited);
  default_pod_level(spec);
  default_member(spec, "enableServiceLinks", true);
  if (!model::bool_at(spec, {"hostNetwork"}, false)) return;
  for (std::string_view list : {"containers", "initContainers"})
    each_element(spec, list, use_host_ports);
}

void default_template(Value& holder) {
  if (Value* pod_template = model::find(holder, {"template"});
      pod_template != nullptr && pod_template->is_object())
    default_pod_spec(object_member(*pod_template, "spec"));
}

}  // namespace holdfast::apiserver::pod
