/// Roles and their bindings. On an update the real server looks at the whole object twice, and says
/// twice what is wrong with it.
#include "kinds/rbac/rbac.h"

#include "kinds/go_struct.h"
#include "kinds/selectors.h"

#include <algorithm>

namespace holdfast::apiserver::rbac {

using model::Value;

namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

void check_rule(const Place& rule, bool namespaced) {
  rule["verbs"].need("verbs must contain at least one value");
  const Place urls = rule["nonResourceURLs"];
  if (!urls.empty()) {
    if (namespaced) urls.invalid("namespaced rules cannot apply to non-resource URLs");
    if (!rule["apiGroups"].empty() || !rule["resources"].empty() || !rule["resourceNames"].empty())
      urls.invalid("rules cannot apply to both regular resources and non-resource URLs");
    return;
  }
  rule["apiGroups"].need("resource rules must supply at least one api group");
  rule["resources"].need("resource rules must supply at least one resource");
}

void validate_role(const Value& role, model::FieldErrors& errors) {
  Place(role, errors)["rules"].each([](const Place& rule) { check_rule(rule, true); });
}

void check_cluster_role(const Place& role, bool allow_invalid_values) {
  role["rules"].each([](const Place& rule) { check_rule(rule, false); });
  const Place aggregation = role["aggregationRule"];
  if (!aggregation.present()) return;
  const Place selectors = aggregation["clusterRoleSelectors"];
  selectors.need("at least one clusterRoleSelector required if aggregationRule is non-nil");
  selectors.each([&](const Place& selector) {
    check_label_selector(selector, allow_invalid_values);
    if (match_labels(selector.value(), Value()) == Match::Unparsable)
      selector.invalid(Value(nullptr), "invalid label selector.");
  });
}

void validate_cluster_role(const Value& role, model::FieldErrors& errors) {
  check_cluster_role(Place(role, errors), false);
}

void validate_cluster_role_update(const Value& role, const Value& old, model::FieldErrors& errors) {
  const model::Array& selectors = model::array_at(old, {"aggregationRule", "clusterRoleSelectors"});
  const bool tolerated = std::any_of(selectors.begin(), selectors.end(), has_invalid_label_value);
  for (int i = 0; i < 2; ++i) check_cluster_role(Place(role, errors), tolerated);
}

void default_binding(Value& binding) {
  default_member(object_member(binding, "roleRef"), "apiGroup", Value(kGroup));
  each_element(binding, "subjects", [](Value& subject) {
    const std::string_view kind = model::string_at(subject, {"kind"});
    if (kind == "User" || kind == "Group") default_member(subject, "apiGroup", Value(kGroup));
  });
}

void check_account(const Place& subject, bool namespaced) {
  if (!subject["name"].empty()) subject["name"].dns_subdomain();
  if (!subject["apiGroup"].empty()) subject["apiGroup"].unsupported({""});
  if (!namespaced) subject["namespace"].need();
}

void check_subject(const Place& subject, bool namespaced) {
  subject["name"].need();
  const std::string_view kind = subject["kind"].text();
  if (kind == "ServiceAccount")
    check_account(subject, namespaced);
  else if (kind == "User" || kind == "Group")
    subject["apiGroup"].one_of({kGroup});
  else
    subject["kind"].unsupported({"ServiceAccount", "User", "Group"});
}

void check_binding(const Place& binding, bool namespaced) {
  const Place role = binding["roleRef"];
  role["apiGroup"].one_of({kGroup});
  if (namespaced)
    role["kind"].one_of({"Role", "ClusterRole"});
  else
    role["kind"].one_of({"ClusterRole"});
  if (role["name"].need()) role["name"].accept(model::check_path_segment(role["name"].text()));
  binding["subjects"].each([&](const Place& subject) { check_subject(subject, namespaced); });
}

void check_role_kept(const Place& binding, const Value& old) {
  const Value* before = model::find(old, {"roleRef"});
  const Place role = binding["roleRef"];
  if (before != nullptr && !model::equal(role.value(), *before))
    role.invalid(
        go_struct(role.value(), {{"APIGroup", "apiGroup"}, {"Kind", "kind"}, {"Name", "name"}}),
        "cannot change roleRef");
}

template <bool namespaced>
void validate_binding(const Value& binding, model::FieldErrors& errors) {
  check_binding(Place(binding, errors), namespaced);
}

template <bool namespaced>
void validate_binding_update(const Value& binding, const Value& old, model::FieldErrors& errors) {
  for (int i = 0; i < 2; ++i) check_binding(Place(binding, errors), namespaced);
  check_role_kept(Place(binding, errors), old);
}

}  // namespace

constinit const KindRules kRole = {
    .group = kGroup,
    .kind = "Role",
    .validate = validate_role,
    .validate_update =
        [](const Value& role, const Value&, model::FieldErrors& errors) {
          for (int i = 0; i < 2; ++i) validate_role(role, errors);
        },
    .name_rule = model::check_path_segment,
};

constinit const KindRules kClusterRole = {
    .group = kGroup,
    .kind = "ClusterRole",
    .validate = validate_cluster_role,
    .validate_update = validate_cluster_role_update,
    .name_rule = model::check_path_segment,
};

constinit const KindRules kRoleBinding = {
    .group = kGroup,
    .kind = "RoleBinding",
    .set_defaults = default_binding,
    .validate = validate_binding<true>,
    .validate_update = validate_binding_update<true>,
    .name_rule = model::check_path_segment,
};

constinit const KindRules kClusterRoleBinding = {
    .group = kGroup,
    .kind = "ClusterRoleBinding",
    .set_defaults = default_binding,
    .validate = validate_binding<false>,
    .validate_update = validate_binding_update<false>,
    .name_rule = model::check_path_segment,
};

}  // namespace holdfast::apiserver::rbac
