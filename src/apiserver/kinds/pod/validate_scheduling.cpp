/// Affinity, tolerations and spreading.
#include <holdfast/base/text.h>

#include "kinds/pod/pod.h"
#include "kinds/selectors.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

void check_node_requirement(const Place& requirement, bool allow_invalid_values) {
  const std::string_view op = requirement["operator"].text();
  const Place values = requirement["values"];
  if (op == "In" || op == "NotIn") {
    values.need("must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty())
      values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (op == "Gt" || op == "Lt") {
    if (values.items().size() != 1)
      values.required("must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else {
    requirement["operator"].invalid(Value(op), "not a valid selector operator");
  }
  requirement["key"].qualified_name();
  if (!allow_invalid_values)
    values.each([](const Place& value) { value.accept(model::check_label_value(value.text())); });
}

void check_node_field(const Place& requirement) {
  const std::string_view op = requirement["operator"].text();
  const Place values = requirement["values"];
  if (op != "In" && op != "NotIn")
    requirement["operator"].invalid(Value(op), "not a valid selector operator");
  else if (values.items().size() != 1)
    values.required(
        "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  if (requirement["key"].text() != "metadata.name")
    requirement["key"].invalid(Value(requirement["key"].text()), "not a valid field selector key");
  else
    values.each([](const Place& value) { value.dns_subdomain(); });
}

void check_node_term(const Place& term, bool allow_invalid_values) {
  term["matchExpressions"].each(
      [&](const Place& each) { check_node_requirement(each, allow_invalid_values); });
  term["matchFields"].each(check_node_field);
}

void check_weight(const Place& weight) {
  if (weight.number() < 1 || weight.number() > 100)
    weight.invalid(Value(weight.number()), "must be in the range 1-100");
}

void check_node_affinity(const Place& affinity) {
  const Place required = affinity["requiredDuringSchedulingIgnoredDuringExecution"];
  if (required.present()) check_node_selector(required);
  affinity["preferredDuringSchedulingIgnoredDuringExecution"].each([](const Place& preferred) {
    check_weight(preferred["weight"]);
    check_node_term(preferred["preference"], true);
  });
}

bool contains(const model::Array& words, std::string_view word) {
  return std::any_of(words.begin(), words.end(),
                     [&](const Value& each) { return model::string_at(each, {}) == word; });
}

/// matchLabelKeys and mismatchLabelKeys of `term`: known labels, and in no two places.
void check_label_keys(const Place& term) {
  const Place selector = term["labelSelector"];
  const Place match = term["matchLabelKeys"];
  const Place mismatch = term["mismatchLabelKeys"];
  for (const Place& keys : {match, mismatch}) {
    if (keys.empty()) continue;
    if (!selector.present())
      keys.forbidden("must not be specified when labelSelector is not set");
    else
      keys.each([](const Place& key) { key.qualified_name(); });
  }
  std::set<std::string, std::less<>> selected;
  for (const auto& label : selector["matchLabels"].members()) selected.emplace(label.key());
  for (const Value& expression : selector["matchExpressions"].items()) {
    const std::string_view key = model::string_at(expression, {"key"});
    for (size_t i = match.items().size(); i-- > 0;) {
      if (model::string_at(match.items()[i], {}) != key) continue;
      if (selected.contains(key))
        term.as(model::at(term.path(), i))
            .invalid(Value(key), "exists in both matchLabelKeys and labelSelector");
      break;
    }
    selected.emplace(key);
  }
  match.each([&](const Place& key) {
    if (contains(mismatch.items(), key.text()))
      key.invalid("exists in both matchLabelKeys and mismatchLabelKeys");
  });
}

void check_pod_term(const Place& term) {
  check_label_selector(term["labelSelector"]);
  check_label_selector(term["namespaceSelector"]);
  term["namespaces"].each(
      [&](const Place& name) { name.as(model::child(term.path(), "namespace")).dns_label(); });
  check_label_keys(term);
  term["topologyKey"].need("can not be empty");
  term["topologyKey"].qualified_name();
}

void check_pod_affinity(const Place& affinity) {
  affinity["requiredDuringSchedulingIgnoredDuringExecution"].each(
      [&](const Place& term) { check_pod_term(term); });
  affinity["preferredDuringSchedulingIgnoredDuringExecution"].each([&](const Place& weighted) {
    check_weight(weighted["weight"]);
    check_pod_term(weighted["podAffinityTerm"]);
  });
}

void check_not_repeated(const Place& constraints, size_t index) {
  const Place constraint = constraints.item(index);
  const std::string_view key = constraint["topologyKey"].text();
  const std::string_view when = constraint["whenUnsatisfiable"].text();
  for (size_t i = index + 1; i < constraints.items().size(); ++i) {
    const Place other = constraints.item(i);
    if (other["topologyKey"].text() != key || other["whenUnsatisfiable"].text() != when) continue;
    return constraint["{topologyKey, whenUnsatisfiable}"].duplicate(
        Value(fmt::format("{{{}, {}}}", key, when)));
  }
}

}  // namespace

void check_node_selector(const Place& selector) {
  const Place terms = selector["nodeSelectorTerms"];
  terms.need("must have at least one node selector term");
  terms.each([&](const Place& term) { check_node_term(term, false); });
}

void check_affinity(const Place& affinity) {
  check_node_affinity(affinity["nodeAffinity"]);
  check_pod_affinity(affinity["podAffinity"]);
  check_pod_affinity(affinity["podAntiAffinity"]);
}

void check_tolerations(const Place& tolerations) {
  tolerations.each([](const Place& toleration) {
    const Place key = toleration["key"];
    const Place op = toleration["operator"];
    const Place value = toleration["value"].as(op.path());
    const Place effect = toleration["effect"];
    if (!key.empty()) key.qualified_name();
    if (key.empty() && op.text() != "Exists")
      op.invalid(Value(op.text()),
                 "operator must be Exists when `key` is empty, which means \"match all values and "
                 "all keys\"");
    if (toleration["tolerationSeconds"].present() && effect.text() != "NoExecute")
      effect.invalid(Value(effect.text()),
                     "effect must be 'NoExecute' when `tolerationSeconds` is set");
    if (op.empty() || op.text() == "Equal") {
      const model::Complaints complaints = model::check_label_value(value.text());
      if (!complaints.empty()) value.invalid(join(complaints, ";"));
    } else if (op.text() == "Exists") {
      if (!value.empty()) value.invalid("value must be empty when `operator` is 'Exists'");
    } else {
      op.unsupported({"Equal", "Exists"});
    }
    if (!effect.empty()) effect.one_of({"NoSchedule", "PreferNoSchedule", "NoExecute"});
  });
}

void check_spread(const Place& constraints) {
  for (size_t i = 0; i < constraints.items().size(); ++i) {
    const Place constraint = constraints.item(i);
    constraint["maxSkew"].positive();
    constraint["topologyKey"].need("can not be empty");
    const Place when = constraint["whenUnsatisfiable"];
    when.one_of({"DoNotSchedule", "ScheduleAnyway"});
    check_not_repeated(constraints, i);
    const Place domains = constraint["minDomains"];
    if (domains.present()) {
      domains.positive();
      if (when.text() != "DoNotSchedule")
        domains.invalid(fmt::format(
            "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}", when.text()));
    }
    for (std::string_view policy : {"nodeAffinityPolicy", "nodeTaintsPolicy"})
      constraint[policy].one_of_if_present({"Honor", "Ignore"});
    check_label_keys(constraint);
    check_label_selector(constraint["labelSelector"]);
  }
}

}  // namespace holdfast::apiserver::pod
