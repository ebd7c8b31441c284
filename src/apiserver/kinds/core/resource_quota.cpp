/// ResourceQuota: the limits of a namespace and the scopes they count in.
#include <holdfast/base/text.h>

#include "kinds/core/core.h"
#include "kinds/core/resources.h"

#include <algorithm>
#include <set>

namespace holdfast::apiserver::core {

using model::Value;

namespace {

constexpr std::string_view kUnmatched = "unsupported scope applied to resource";
constexpr std::string_view kExistsOnly =
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
    "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
    "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_quota_resource(std::string_view name) {
  return one_of(name, {"cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory",
                       "requests.storage", "requests.ephemeral-storage", "limits.cpu",
                       "limits.memory", "limits.ephemeral-storage", "pods", "resourcequotas",
                       "services", "replicationcontrollers", "secrets", "persistentvolumeclaims",
                       "configmaps", "services.nodeports", "services.loadbalancers"}) ||
         name.starts_with("hugepages-") || name.starts_with("requests.hugepages-");
}

bool is_scope(std::string_view scope) {
  return one_of(scope, {"Terminating", "NotTerminating", "BestEffort", "NotBestEffort",
                        "PriorityClass", "VolumeAttributesClass", "CrossNamespacePodAffinity"});
}

bool scope_fits(std::string_view scope, std::string_view resource) {
  if (!is_scope(scope)) return true;
  if (scope == "VolumeAttributesClass")
    return one_of(resource, {"persistentvolumeclaims", "requests.storage"});
  if (resource == "pods") return true;
  return scope != "BestEffort" && one_of(resource, {"cpu", "memory", "limits.cpu", "limits.memory",
                                                    "requests.cpu", "requests.memory"});
}

/// How many of the limited resources a scope says nothing about; each is an error of its own.
size_t count_unfit(const Place& spec, std::string_view scope) {
  size_t unfit = 0;
  for (const auto& limit : spec["hard"].members())
    if (is_quota_resource(limit.key()) && !scope_fits(scope, limit.key())) ++unfit;
  return unfit;
}

bool conflicting(const std::set<std::string_view>& scopes, std::string_view a, std::string_view b) {
  return scopes.contains(a) && scopes.contains(b);
}

void check_conflicts(const Place& where, const Value& shown,
                     const std::set<std::string_view>& scopes) {
  if (conflicting(scopes, "BestEffort", "NotBestEffort"))
    where.invalid(shown, "conflicting scopes");
  if (conflicting(scopes, "Terminating", "NotTerminating"))
    where.invalid(shown, "conflicting scopes");
}

void check_limits(const Place& limits) {
  limits.each_entry([](std::string_view name, const Place& entry) {
    check_resource_name(name, entry);
    if (name.find('/') == std::string_view::npos && !is_quota_resource(name))
      entry.invalid(Value(name), "must be a standard resource for quota");
    check_amount(name, entry);
  });
}

void check_scopes(const Place& spec) {
  const Place scopes = spec["scopes"];
  std::set<std::string_view> seen;
  scopes.each([&](const Place& scope) {
    if (!is_scope(scope.text())) scopes.invalid("unsupported scope");
    for (size_t i = count_unfit(spec, scope.text()); i > 0; --i)
      scopes.invalid(std::string(kUnmatched));
    seen.insert(scope.text());
  });
  check_conflicts(scopes, scopes.value(), seen);
}

void check_operator(const Place& requirement) {
  const std::string_view op = requirement["operator"].text();
  const Place values = requirement["values"];
  if (one_of(requirement["scopeName"].text(), {"BestEffort", "NotBestEffort", "Terminating",
                                               "NotTerminating", "CrossNamespacePodAffinity"}) &&
      op != "Exists")
    requirement["operator"].invalid(Value(op), std::string(kExistsOnly));
  if (op == "In" || op == "NotIn")
    values.need("must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
  else if (op != "Exists" && op != "DoesNotExist")
    requirement["operator"].invalid(Value(op), "not a valid selector operator");
  else if (!values.empty())
    values.invalid(
        "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
}

void check_scope_selector(const Place& spec) {
  const Place list = spec["scopeSelector"]["matchExpressions"];
  std::set<std::string_view> seen;
  list.each([&](const Place& item) {
    const Place requirement = item.as(list.path());
    const Place scope = requirement["scopeName"];
    if (!is_scope(scope.text())) scope.invalid(Value(scope.text()), "unsupported scope");
    for (size_t i = count_unfit(spec, scope.text()); i > 0; --i)
      list.invalid(go_form(spec["scopeSelector"].value(), {"MatchExpressions"}),
                   std::string(kUnmatched));
    check_operator(requirement);
    seen.insert(scope.text());
  });
  check_conflicts(list, spec["scopes"].value(), seen);
}

void check_spec(const Place& spec) {
  check_limits(spec["hard"]);
  check_scopes(spec);
  check_scope_selector(spec);
}

void validate(const Value& quota, model::FieldErrors& errors) {
  check_spec(Place(quota, errors)["spec"]);
}

std::set<std::string_view> scopes_of(const Value& quota) {
  std::set<std::string_view> out;
  for (const Value& scope : model::array_at(quota, {"spec", "scopes"}))
    out.insert(model::string_at(scope, {}));
  return out;
}

void validate_update(const Value& quota, const Value& old, model::FieldErrors& errors) {
  const Place spec = Place(quota, errors)["spec"];
  check_spec(spec);
  if (scopes_of(quota) != scopes_of(old)) spec["scopes"].invalid("field is immutable");
}

void validate_status(const Value& quota, const Value&, model::FieldErrors& errors) {
  const Place status = Place(quota, errors)["status"];
  check_limits(status["hard"]);
  check_limits(status["used"]);
}

}  // namespace

constinit const KindRules kResourceQuota = {
    .group = "",
    .kind = "ResourceQuota",
    .prepare_create = [](Value& quota) { quota.get_object()["status"] = model::Object(); },
    .validate = validate,
    .validate_update = validate_update,
    .validate_status = validate_status,
};

}  // namespace holdfast::apiserver::core
