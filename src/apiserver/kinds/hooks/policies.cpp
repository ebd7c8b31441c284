/// ValidatingAdmissionPolicy and its binding.
#include <holdfast/base/text.h>
#include <holdfast/model/object.h>

#include "kinds/hooks/hooks.h"
#include "kinds/selectors.h"

#include <fmt/format.h>

#include <set>

namespace holdfast::apiserver::hooks {

using model::Value;

namespace {

constexpr size_t kMaxAnnotations = 20;
constexpr std::string_view kNothingToDo =
    "validations or auditAnnotations must contain at least one item";

void default_constraints(Value& holder, std::string_view name) {
  Value* constraints = model::find(holder, {"spec", name});
  if (constraints == nullptr) return;
  default_match(*constraints);
  default_rules(*constraints, "resourceRules");
  default_rules(*constraints, "excludeResourceRules");
}

void default_policy(Value& policy) {
  default_member(object_member(policy, "spec"), "failurePolicy", "Fail");
  default_constraints(policy, "matchConstraints");
}

void check_param_kind(const Place& kind) {
  if (!kind.present()) return;
  const Place version = kind["apiVersion"];
  if (version.need()) {
    const auto parsed = model::GroupVersion::parse(version.text());
    if (!parsed) {
      version.invalid(parsed.error().what());
    } else {
      if (const auto complaints = model::check_dns1123_subdomain(parsed->group);
          !parsed->group.empty() && !complaints.empty())
        version.invalid(Value(parsed->group), join(complaints, ","));
      if (parsed->version.empty())
        version.invalid("version must be specified");
      else if (const auto complaints = model::check_dns1035_label(parsed->version);
               !complaints.empty())
        version.invalid(Value(parsed->version), join(complaints, ","));
    }
  }
  if (!kind["kind"].need()) return;
  const auto complaints = model::check_dns1035_label(to_lower(kind["kind"].text()));
  if (!complaints.empty())
    kind["kind"].invalid("may have mixed case, but should otherwise match: " +
                         join(complaints, ","));
}

void check_named_rule(const Place& rule) {
  std::set<std::string_view> names;
  rule["resourceNames"].each([&](const Place& name) {
    name.accept(model::check_path_segment(name.text()));
    if (!names.insert(name.text()).second) name.duplicate();
  });
  check_rule(rule);
}

void check_constraints(const Place& constraints) {
  if (!constraints.present()) return;
  constraints["matchPolicy"].need_one_of({"Equivalent", "Exact"});
  check_label_selector(constraints["namespaceSelector"]);
  check_label_selector(constraints["objectSelector"]);
  constraints["resourceRules"].each(check_named_rule);
  constraints["excludeResourceRules"].each(check_named_rule);
}

void check_text(const Place& text) {
  if (!text.empty() && trim(text.text()).empty()) text.invalid("must be non-empty if specified");
}

void check_validation(const Place& validation) {
  if (trim(validation["expression"].text()).empty())
    validation["expression"].required("expression is not specified");
  check_text(validation["messageExpression"]);
  const Place message = validation["message"];
  check_text(message);
  if (trim(message.text()).find_first_of("\r\n") != std::string_view::npos)
    message.invalid("must not contain line breaks");
  validation["reason"].one_of_if_present({"Forbidden", "Invalid", "RequestEntityTooLarge"});
}

void check_annotations(const Place& annotations, std::string_view policy_name) {
  if (annotations.items().size() > kMaxAnnotations)
    annotations.invalid(
        fmt::format("must not have more than {} auditAnnotations", kMaxAnnotations));
  std::set<std::string_view> keys;
  annotations.each([&](const Place& annotation) {
    const Place key = annotation["key"];
    const std::string full = fmt::format("{}/{}", policy_name, key.text());
    for (std::string& complaint : model::check_qualified_name(full))
      key.invalid(Value(full), std::move(complaint));
    if (trim(annotation["valueExpression"].text()).empty())
      annotation["valueExpression"].required("valueExpression is not specified");
    if (!keys.insert(key.text()).second) key.duplicate();
  });
}

void validate_policy(const Value& object, model::FieldErrors& errors) {
  const Place policy(object, errors);
  const Place spec = policy["spec"];
  spec["failurePolicy"].need_one_of({"Fail", "Ignore"});
  check_param_kind(spec["paramKind"]);
  const Place constraints = spec["matchConstraints"];
  if (constraints.present()) {
    check_constraints(constraints);
    constraints["resourceRules"].need();
  } else {
    constraints.required();
  }
  check_match_conditions(spec["matchConditions"]);
  spec["variables"].each([](const Place& variable) {
    if (trim(variable["name"].text()).empty()) variable["name"].required("name is not specified");
    if (trim(variable["expression"].text()).empty())
      variable["expression"].required("expression is not specified");
  });
  if (spec["validations"].empty() && spec["auditAnnotations"].empty()) {
    spec["validations"].required(std::string(kNothingToDo));
    spec["auditAnnotations"].required(std::string(kNothingToDo));
    return;
  }
  spec["validations"].each(check_validation);
  check_annotations(spec["auditAnnotations"], policy["metadata"]["name"].text());
}

void check_param(const Place& param) {
  if (!param.present()) return;
  const Place name = param["name"];
  const Place selector = param["selector"];
  const bool both = !name.empty() && selector.present();
  if (!name.empty()) name.accept(model::check_path_segment(name.text()));
  if (both) name.forbidden("name and selector are mutually exclusive");
  check_label_selector(selector);
  if (both) selector.forbidden("name and selector are mutually exclusive");
  if (name.empty() && !selector.present())
    param.required("one of name or selector must be specified");
  param["parameterNotFoundAction"].need_one_of({"Deny", "Allow"});
}

void check_actions(const Place& actions) {
  std::set<std::string_view> seen;
  actions.each([&](const Place& action) {
    action.one_of({"Audit", "Deny", "Warn"});
    if (!seen.insert(action.text()).second) action.duplicate();
  });
  if (seen.contains("Deny") && seen.contains("Warn"))
    actions.invalid(
        "must not contain both Deny and Warn (repeating the same validation failure information in "
        "the API response and headers serves no purpose)");
  actions.need("at least one validation action is required");
}

void validate_binding(const Value& binding, model::FieldErrors& errors) {
  const Place spec = Place(binding, errors)["spec"];
  if (spec["policyName"].need()) spec["policyName"].dns_subdomain();
  check_param(spec["paramRef"]);
  check_constraints(spec["matchResources"]);
  check_actions(spec["validationActions"]);
}

}  // namespace

constinit const KindRules kValidatingPolicy = {
    .group = "admissionregistration.k8s.io",
    .kind = "ValidatingAdmissionPolicy",
    .set_defaults = default_policy,
    .prepare_create = [](Value& policy) { policy.get_object()["status"] = model::Object(); },
    .validate = validate_policy,
};

constinit const KindRules kValidatingPolicyBinding = {
    .group = "admissionregistration.k8s.io",
    .kind = "ValidatingAdmissionPolicyBinding",
    .set_defaults = [](Value& binding) { default_constraints(binding, "matchResources"); },
    .validate = validate_binding,
};

}  // namespace holdfast::apiserver::hooks
