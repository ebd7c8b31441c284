#include "kinds/policy/policy.h"

#include "kinds/apps/workload.h"
#include "kinds/go_struct.h"
#include "kinds/selectors.h"

#include <fmt/format.h>

namespace holdfast::apiserver::policy {

using model::Value;

namespace {

constexpr int64_t kHighestUserPriority = 1000000000;

void prepare_budget(Value& budget) {
  budget.get_object()["status"] = model::Object{
      {"disruptionsAllowed", 0}, {"currentHealthy", 0}, {"desiredHealthy", 0}, {"expectedPods", 0}};
}

void check_budget(const Place& spec, bool allow_invalid_values) {
  const Place least = spec["minAvailable"];
  const Place most = spec["maxUnavailable"];
  if (least.present() && most.present())
    spec.invalid(go_struct(spec.value(), {{"MinAvailable", "minAvailable", Zero::Null},
                                          {"Selector", "selector", Zero::Null},
                                          {"MaxUnavailable", "maxUnavailable", Zero::Null},
                                          {"UnhealthyPodEvictionPolicy",
                                           "unhealthyPodEvictionPolicy", Zero::Null}}),
                 "minAvailable and maxUnavailable cannot be both set");
  for (const Place& amount : {least, most}) {
    if (!amount.present()) continue;
    apps::check_int_or_percent(amount);
    apps::check_at_most_all(amount);
  }
  check_label_selector(spec["selector"], allow_invalid_values);
  spec["unhealthyPodEvictionPolicy"].one_of_if_present({"AlwaysAllow", "IfHealthyBudget"});
}

void validate_budget(const Value& budget, model::FieldErrors& errors) {
  check_budget(Place(budget, errors)["spec"], false);
}

void validate_budget_update(const Value& budget, const Value& old, model::FieldErrors& errors) {
  const Value* selector = model::find(old, {"spec", "selector"});
  check_budget(Place(budget, errors)["spec"],
               selector != nullptr && has_invalid_label_value(*selector));
}

void validate_budget_status(const Value& budget, const Value&, model::FieldErrors& errors) {
  const Place status = Place(budget, errors)["status"];
  for (std::string_view name :
       {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"})
    status[name].non_negative();
}

/// Why a class may not have a name of the system's; "" if it may.
std::string system_class_complaint(const Place& priority) {
  const std::string_view name = priority["metadata"]["name"].text();
  for (auto [known, value] : {std::pair("system-node-critical", int64_t{2000001000}),
                              {"system-cluster-critical", int64_t{2000000000}}}) {
    if (name != known) continue;
    if (priority["value"].number() != value)
      return fmt::format("value of {} PriorityClass must be {}", known, value);
    if (priority["globalDefault"].flag())
      return fmt::format("globalDefault of {} PriorityClass must be false", known);
    return "";
  }
  return fmt::format("{} is not a known system priority class", name);
}

void validate_priority(const Value& object, model::FieldErrors& errors) {
  const Place priority(object, errors);
  const Place name = priority["metadata"]["name"];
  if (name.text().starts_with("system-")) {
    const std::string complaint = system_class_complaint(priority);
    if (!complaint.empty())
      name.forbidden(
          "priority class names with 'system-' prefix are reserved for system use only. error: " +
          complaint);
  } else if (priority["value"].number() > kHighestUserPriority) {
    priority["value"].forbidden(fmt::format(
        "maximum allowed value of a user defined priority is {}", kHighestUserPriority));
  }
  const Place preemption = priority["preemptionPolicy"];
  if (preemption.present()) preemption.need_one_of({"PreemptLowerPriority", "Never"});
}

void validate_priority_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  const Place priority(object, errors);
  if (priority["value"].number() != model::int_at(old, {"value"}, 0))
    priority["value"].forbidden("may not be changed in an update.");
  const Value* before = model::find(old, {"preemptionPolicy"});
  immutable(priority["preemptionPolicy"], before == nullptr ? Value() : *before);
}

/// Both belong to a feature that is off in 1.34.
void drop_gated_lease_fields(Value& lease, const Value* old) {
  for (std::string_view name : {"strategy", "preferredHolder"})
    if (old == nullptr || model::find(*old, {"spec", name}) == nullptr)
      model::erase(lease, {"spec", name});
}

void validate_lease(const Value& lease, model::FieldErrors& errors) {
  const Place spec = Place(lease, errors)["spec"];
  const Place duration = spec["leaseDurationSeconds"];
  if (duration.present() && duration.number() <= 0) duration.invalid("must be greater than 0");
  spec["leaseTransitions"].non_negative();
}

}  // namespace

constinit const KindRules kPodDisruptionBudget = {
    .group = "policy",
    .kind = "PodDisruptionBudget",
    .prepare_create = prepare_budget,
    .validate = validate_budget,
    .validate_update = validate_budget_update,
    .validate_status = validate_budget_status,
};

constinit const KindRules kPriorityClass = {
    .group = "scheduling.k8s.io",
    .kind = "PriorityClass",
    .set_defaults =
        [](Value& priority) {
          default_member(priority, "preemptionPolicy", "PreemptLowerPriority");
        },
    .validate = validate_priority,
    .validate_update = validate_priority_update,
};

constinit const KindRules kLease = {
    .group = "coordination.k8s.io",
    .kind = "Lease",
    .prepare_create = [](Value& lease) { drop_gated_lease_fields(lease, nullptr); },
    .prepare_update = [](Value& lease, const Value& old) { drop_gated_lease_fields(lease, &old); },
    .validate = validate_lease,
};

}  // namespace holdfast::apiserver::policy
