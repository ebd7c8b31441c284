/// spec.podFailurePolicy: which failures end the Job, end the index, count, or do not.
#include "job/observed.h"

#include <fmt/format.h>

namespace holdfast::workloads::job {

using model::array_at;
using model::int_at;
using model::string_at;
using model::Value;

namespace {

bool exit_code_matches(const Value& requirement, int64_t code) {
  const auto& values = array_at(requirement, {"values"});
  const bool listed = std::any_of(values.begin(), values.end(), [&](const Value& value) {
    return int_at(value, {}, -1) == code;
  });
  const std::string_view op = string_at(requirement, {"operator"});
  return (op == "In" && listed) || (op == "NotIn" && !listed);
}

const Value* matching_container(const Value& pod, const Value& requirement) {
  const std::string_view only = string_at(requirement, {"containerName"});
  for (const std::string_view list : {"containerStatuses", "initContainerStatuses"})
    for (const Value& status : array_at(pod, {"status", list})) {
      const int64_t code = int_at(status, {"state", "terminated", "exitCode"}, 0);
      if (code == 0 || (!only.empty() && only != string_at(status, {"name"}))) continue;
      if (exit_code_matches(requirement, code)) return &status;
    }
  return nullptr;
}

const Value* matching_condition(const Value& pod, const model::Array& patterns) {
  for (const Value& condition : array_at(pod, {"status", "conditions"}))
    for (const Value& pattern : patterns)
      if (string_at(condition, {"type"}) == string_at(pattern, {"type"}) &&
          string_at(condition, {"status"}) == string_at(pattern, {"status"}))
        return &condition;
  return nullptr;
}

/// Why the rule fits, in the words of the real controller; "" if it does not.
std::string fits(const Value& rule, size_t number, const Value& pod) {
  const std::string_view ns = string_at(pod, {"metadata", "namespace"});
  const std::string_view name = string_at(pod, {"metadata", "name"});
  const std::string_view action = string_at(rule, {"action"});
  if (const Value* requirement = model::find(rule, {"onExitCodes"})) {
    const Value* container = matching_container(pod, *requirement);
    if (container == nullptr) return "";
    return fmt::format(
        "Container {} for pod {}/{} failed with exit code {} matching {} rule at index {}",
        string_at(*container, {"name"}), ns, name,
        int_at(*container, {"state", "terminated", "exitCode"}, 0), action, number);
  }
  const Value* condition = matching_condition(pod, array_at(rule, {"onPodConditions"}));
  if (condition == nullptr) return "";
  return fmt::format("Pod {}/{} has condition {} matching {} rule at index {}", ns, name,
                     string_at(*condition, {"type"}), action, number);
}

Ruling::Action action_of(const Value& rule) {
  const std::string_view action = string_at(rule, {"action"});
  if (action == "Ignore") return Ruling::Action::Ignore;
  if (action == "Count") return Ruling::Action::Count;
  if (action == "FailIndex") return Ruling::Action::FailIndex;
  return action == "FailJob" ? Ruling::Action::FailJob : Ruling::Action::None;
}

}  // namespace

Ruling judge(const Value& policy, const Value& pod) {
  const model::Array& rules = array_at(policy, {"rules"});
  for (size_t i = 0; i < rules.size(); ++i) {
    std::string why = fits(rules[i], i, pod);
    const Ruling::Action action = action_of(rules[i]);
    if (why.empty() || action == Ruling::Action::None) continue;
    return {.action = action, .message = action == Ruling::Action::FailJob ? why : ""};
  }
  return {};
}

}  // namespace holdfast::workloads::job
