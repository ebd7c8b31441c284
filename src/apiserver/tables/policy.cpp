// Cells of the kinds that allow, forbid or rank: role bindings, disruption budgets, admission,
// priorities.
#include <holdfast/base/text.h>

#include "tables/cell_text.h"
#include "tables/printers.h"

#include <fmt/format.h>

#include <map>

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::Value;

constexpr std::string_view kRbac = "rbac.authorization.k8s.io";
constexpr std::string_view kAdmission = "admissionregistration.k8s.io";

void role_binding(const Value& object, WallTime now, Array& cells) {
  std::vector<std::string> users, groups, accounts;
  for (const Value& subject : model::array_at(object, {"subjects"})) {
    const std::string_view kind = model::string_at(subject, {"kind"});
    const std::string name(model::string_at(subject, {"name"}));
    if (kind == "User") users.push_back(name);
    if (kind == "Group") groups.push_back(name);
    if (kind == "ServiceAccount")
      accounts.push_back(std::string(model::string_at(subject, {"namespace"})) + "/" + name);
  }
  const std::string role = std::string(model::string_at(object, {"roleRef", "kind"})) + "/" +
                           std::string(model::string_at(object, {"roleRef", "name"}));
  add_cells(cells, name_of(object), role, age_of(object, now), join(users, ", "),
            join(groups, ", "), join(accounts, ", "));
}

std::string amount_or_percent(const Value& object, std::string_view field) {
  const Value* amount = model::find(object, {"spec", field});
  if (amount == nullptr || amount->is_null()) return "N/A";
  return amount->is_string() ? std::string(model::view(amount->get_string()))
                             : model::to_json(*amount);
}

void disruption_budget(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), amount_or_percent(object, "minAvailable"),
            amount_or_percent(object, "maxUnavailable"),
            model::int_at(object, {"status", "disruptionsAllowed"}, 0), age_of(object, now));
}

void webhooks(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), count_at(object, {"webhooks"}), age_of(object, now));
}

void admission_policy(const Value& object, WallTime now, Array& cells) {
  std::string params = "<unset>";
  const Value* kind = model::find(object, {"spec", "paramKind"});
  if (kind != nullptr && kind->is_object())
    params = std::string(model::string_at(*kind, {"apiVersion"})) + "/" +
             std::string(model::string_at(*kind, {"kind"}));
  add_cells(cells, name_of(object), count_at(object, {"spec", "validations"}), params,
            age_of(object, now));
}

// The selector as Go's generated String() has it:
//   &LabelSelector{MatchLabels:map[string]string{a: 1,},MatchExpressions:[]LabelSelectorRequirement
//   {LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}
std::string selector_dump(const Value& selector) {
  std::map<std::string, std::string> labels;
  for (const auto& member : model::object_at(selector, {"matchLabels"}))
    if (member.value().is_string())
      labels.emplace(member.key(), model::view(member.value().get_string()));
  std::string out = "&LabelSelector{MatchLabels:map[string]string{";
  for (const auto& [key, value] : labels) out += fmt::format("{}: {},", key, value);
  out += "},MatchExpressions:[]LabelSelectorRequirement{";
  for (const Value& each : model::array_at(selector, {"matchExpressions"})) {
    out += "LabelSelectorRequirement{Key:" + std::string(model::string_at(each, {"key"}));
    out += ",Operator:" + std::string(model::string_at(each, {"operator"}));
    out += ",Values:[" + join(strings_at(each, {"values"}), " ") + "],},";
  }
  return out + "},}";
}

std::string param_ref(const Value& object) {
  const Value* ref = model::find(object, {"spec", "paramRef"});
  if (ref == nullptr || !ref->is_object()) return "<unset>";
  const std::string_view name = model::string_at(*ref, {"name"});
  if (!name.empty())
    return std::string(filled_at(*ref, {"namespace"}, "*")) + "/" + std::string(name);
  const Value* selector = model::find(*ref, {"selector"});
  return selector != nullptr && selector->is_object() ? selector_dump(*selector) : "<unset>";
}

void admission_policy_binding(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), model::string_at(object, {"spec", "policyName"}),
            param_ref(object), age_of(object, now));
}

void priority_class(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), model::int_at(object, {"value"}, 0),
            model::bool_at(object, {"globalDefault"}, false), age_of(object, now),
            model::string_at(object, {"preemptionPolicy"}));
}

const std::vector<Column> kBindingColumns = {kNameColumn,
                                             {"Role"},
                                             kAgeColumn,
                                             wide_column("Users"),
                                             wide_column("Groups"),
                                             wide_column("ServiceAccounts")};
const std::vector<Column> kWebhookColumns = {kNameColumn, integer_column("Webhooks"), kAgeColumn};

}  // namespace

void add_policy_printers(Printers& printers) {
  printers.push_back({kRbac, "RoleBinding", kBindingColumns, role_binding});
  printers.push_back({kRbac, "ClusterRoleBinding", kBindingColumns, role_binding});
  printers.push_back({"policy",
                      "PodDisruptionBudget",
                      {kNameColumn,
                       {"Min Available"},
                       {"Max Unavailable"},
                       integer_column("Allowed Disruptions"),
                       kAgeColumn},
                      disruption_budget});
  printers.push_back({kAdmission, "MutatingWebhookConfiguration", kWebhookColumns, webhooks});
  printers.push_back({kAdmission, "ValidatingWebhookConfiguration", kWebhookColumns, webhooks});
  printers.push_back({kAdmission,
                      "ValidatingAdmissionPolicy",
                      {kNameColumn, integer_column("Validations"), {"ParamKind"}, kAgeColumn},
                      admission_policy});
  printers.push_back({kAdmission,
                      "ValidatingAdmissionPolicyBinding",
                      {kNameColumn, {"PolicyName"}, {"ParamRef"}, kAgeColumn},
                      admission_policy_binding});
  printers.push_back({"scheduling.k8s.io",
                      "PriorityClass",
                      {kNameColumn,
                       integer_column("Value"),
                       boolean_column("Global-Default"),
                       kAgeColumn,
                       {"PreemptionPolicy"}},
                      priority_class});
}

}  // namespace holdfast::apiserver
