#include "schedule/plan.h"

#include <holdfast/model/quantity.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace holdfast::node {
namespace {

using model::array_at;
using model::string_at;
using model::Value;

bool lists(const Value& requirement, std::string_view value) {
  const model::Array& values = array_at(requirement, {"values"});
  return std::any_of(values.begin(), values.end(), [value](const Value& each) {
    return each.is_string() && model::view(each.get_string()) == value;
  });
}

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty()
             ? std::optional(value)
             : std::nullopt;
}

bool meets(const Value& requirement, std::optional<std::string_view> value) {
  const std::string_view how = string_at(requirement, {"operator"});
  if (how == "In") return value && lists(requirement, *value);
  if (how == "NotIn") return !value || !lists(requirement, *value);
  if (how == "Exists") return value.has_value();
  if (how == "DoesNotExist") return !value;
  const model::Array& values = array_at(requirement, {"values"});
  if (!value || values.size() != 1 || !values[0].is_string()) return false;
  const std::optional<int64_t> have = number(*value),
                               bound = number(model::view(values[0].get_string()));
  return have && bound && (how == "Gt" ? *have > *bound : how == "Lt" && *have < *bound);
}

std::optional<std::string_view> label_of(const Value& node, std::string_view key) {
  const Value* value = model::find(node, {"metadata", "labels", key});
  return value != nullptr && value->is_string() ? std::optional(model::view(value->get_string()))
                                                : std::nullopt;
}

bool matches_term(const Value& term, const Value& node) {
  const model::Array &labels = array_at(term, {"matchExpressions"}),
                     &fields = array_at(term, {"matchFields"});
  if (labels.empty() && fields.empty()) return false;  // an empty term matches nothing
  for (const Value& each : labels)
    if (!meets(each, label_of(node, string_at(each, {"key"})))) return false;
  for (const Value& each : fields)
    if (string_at(each, {"key"}) != "metadata.name" ||
        !meets(each, string_at(node, {"metadata", "name"})))
      return false;
  return true;
}

Amounts amounts_at(const Value& list) {
  const auto read = [&list](std::string_view name) {
    const Value* value = model::find(list, {name});
    const bool text = value != nullptr && value->is_string();
    return model::Quantity::parse(text ? model::view(value->get_string()) : "0");
  };
  const Result<model::Quantity> cpu = read("cpu"), memory = read("memory");
  return {cpu ? cpu->milli_value() : 0, memory ? memory->value() : 0};
}

Amounts asked(const Value& container) {
  const Value* requests = model::find(container, {"resources", "requests"});
  return requests != nullptr ? amounts_at(*requests) : Amounts();
}

Amounts sum(Amounts a, Amounts b) { return {a.cpu_millis + b.cpu_millis, a.memory + b.memory}; }

Amounts larger(Amounts a, Amounts b) {
  return {std::max(a.cpu_millis, b.cpu_millis), std::max(a.memory, b.memory)};
}

/// Which of the node's goods do not suffice.
std::string shortage(const SchedulingSeen& seen, const Value& node) {
  const Value* given = model::find(node, {"status", "allocatable"});
  if (given == nullptr) return "";
  const Amounts wanted = requests_of(seen.pod), there = amounts_at(*given);
  const auto taken = seen.taken.find(std::string(string_at(node, {"metadata", "name"})));
  const Amounts all = sum(wanted, taken != seen.taken.end() ? taken->second : Amounts());
  if (wanted.cpu_millis > 0 && all.cpu_millis > there.cpu_millis) return "Insufficient cpu";
  if (wanted.memory > 0 && all.memory > there.memory) return "Insufficient memory";
  return "";
}

/// Why the pod cannot go there; "" if it can.
std::string objection(const SchedulingSeen& seen, const Value& node) {
  if (model::bool_at(node, {"spec", "unschedulable"}, false)) {
    const Value taint =
        model::Object{{"key", "node.kubernetes.io/unschedulable"}, {"effect", "NoSchedule"}};
    if (!tolerates(seen.pod, taint)) return "node(s) were unschedulable";
  }
  for (const Value& taint : array_at(node, {"spec", "taints"})) {
    const std::string_view effect = string_at(taint, {"effect"});
    if (effect != "PreferNoSchedule" && !tolerates(seen.pod, taint))
      return fmt::format("node(s) had untolerated taint {{{}: {}}}", string_at(taint, {"key"}),
                         string_at(taint, {"value"}));
  }
  for (const auto& wanted : model::object_at(seen.pod, {"spec", "nodeSelector"}))
    if (!wanted.value().is_string() ||
        label_of(node, std::string_view(wanted.key())) != model::view(wanted.value().get_string()))
      return "node(s) didn't match Pod's node affinity/selector";
  const Value* required = model::find(seen.pod, {"spec", "affinity", "nodeAffinity",
                                                 "requiredDuringSchedulingIgnoredDuringExecution"});
  if (required != nullptr && !matches_terms(*required, node))
    return "node(s) didn't match Pod's node affinity/selector";
  for (const ClaimSeen& claim : seen.claims) {
    const Value* needed = model::find(claim.volume_affinity, {"required"});
    if (needed != nullptr && !matches_terms(*needed, node))
      return "node(s) didn't match PersistentVolume's node affinity";
    if (!claim.selected_node.empty() && !claim.bound &&
        claim.selected_node != string_at(node, {"metadata", "name"}))
      return "node(s) didn't find available persistent volumes to bind";
  }
  return shortage(seen, node);
}

}  // namespace

Amounts requests_of(const Value& pod) {
  Amounts sidecars, first;
  for (const Value& each : array_at(pod, {"spec", "initContainers"})) {
    first = larger(first, sum(sidecars, asked(each)));
    if (string_at(each, {"restartPolicy"}) == "Always") sidecars = sum(sidecars, asked(each));
  }
  Amounts all = sidecars;
  for (const Value& each : array_at(pod, {"spec", "containers"})) all = sum(all, asked(each));
  return larger(all, first);
}

bool matches_terms(const Value& selector, const Value& node) {
  const model::Array& terms = array_at(selector, {"nodeSelectorTerms"});
  return std::any_of(terms.begin(), terms.end(),
                     [&node](const Value& term) { return matches_term(term, node); });
}

bool tolerates(const Value& pod, const Value& taint) {
  for (const Value& each : array_at(pod, {"spec", "tolerations"})) {
    const std::string_view effect = string_at(each, {"effect"}), key = string_at(each, {"key"});
    if (!effect.empty() && effect != string_at(taint, {"effect"})) continue;
    const bool exists = string_at(each, {"operator"}) == "Exists";
    if (key.empty() && exists) return true;
    if (key != string_at(taint, {"key"})) continue;
    if (exists || string_at(each, {"value"}) == string_at(taint, {"value"})) return true;
  }
  return false;
}

Placement place(const SchedulingSeen& seen) {
  for (const ClaimSeen& claim : seen.claims) {
    if (!claim.there)
      return {Placement::Kind::Unschedulable, "", "",
              fmt::format("0/{} nodes are available: persistentvolumeclaim \"{}\" not found.",
                          seen.nodes.size(), claim.name)};
    if (claim.deleted)
      return {
          Placement::Kind::Unschedulable, "", "",
          fmt::format("0/{} nodes are available: persistentvolumeclaim \"{}\" is being deleted.",
                      seen.nodes.size(), claim.name)};
    if (!claim.bound && !claim.waits_for_consumer)
      return {
          Placement::Kind::Unschedulable, "", "",
          fmt::format("0/{} nodes are available: pod has unbound immediate PersistentVolumeClaims.",
                      seen.nodes.size())};
  }
  std::map<std::string, int> objections;
  for (const Value& node : seen.nodes) {
    if (const std::string why = objection(seen, node); !why.empty()) {
      ++objections[why];
      continue;
    }
    const std::string name(string_at(node, {"metadata", "name"}));
    for (const ClaimSeen& claim : seen.claims) {
      if (claim.bound) continue;
      if (claim.selected_node.empty()) return {Placement::Kind::SelectNode, name, claim.name, ""};
      return {Placement::Kind::Wait, name, claim.name, "waiting for the claim to be bound"};
    }
    return {Placement::Kind::Bind, name, "", ""};
  }
  std::string text;
  for (const auto& [why, count] : objections)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, why);
  if (seen.nodes.empty())
    return {Placement::Kind::Unschedulable, "", "", "no nodes available to schedule pods"};
  return {Placement::Kind::Unschedulable, "", "",
          fmt::format("0/{} nodes are available: {}.", seen.nodes.size(), text)};
}

}  // namespace holdfast::node
