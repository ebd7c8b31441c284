/// Checks of the Pod Security Standards, in the real server's words: one function each, and the
/// table that says from which version on it counts.
#pragma once

#include "admission/pod_in.h"
#include "admission/pod_security/policy.h"

#include <set>
#include <span>
#include <string>
#include <vector>

namespace holdfast::apiserver::pod_security {

/// Why a pod is forbidden.
struct Violation {
  std::string reason, detail;
};
using Check = std::optional<Violation> (*)(const PodIn& pod);

struct CheckRow {
  std::string_view id;
  int64_t since;  ///< v1.SINCE, until the next row of the same id
  Check check;
  std::string_view replaces{};  ///< a baseline check that this one says all of
};

/// In the order of ids, which is that of the messages.
std::span<const CheckRow> baseline_checks();
std::span<const CheckRow> restricted_checks();

/// All that the level forbids in this pod. Pure.
std::vector<Violation> violations(const LevelVersion& policy, const PodIn& pod);
/// "host namespaces, privileged"
std::string reasons_of(const std::vector<Violation>& violations);
/// "host namespaces (hostPID=true), privileged (container \"c\" must not set …)"
std::string details_of(const std::vector<Violation>& violations);

using Names = std::vector<std::string>;
using Sorted = std::set<std::string>;

/// `"a", "b"`
template <class Strings>
std::string quote_each(const Strings& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "\"" : ", \"") + item + "\"";
  return out;
}

inline std::string_view plural(size_t count, std::string_view one, std::string_view many) {
  return count == 1 ? one : many;
}

/// `containers "a", "b"`
template <class Strings>
std::string containers(const Strings& names) {
  return std::string(plural(names.size(), "container ", "containers ")) + quote_each(names);
}

/// Init, ordinary and ephemeral ones, in this order.
template <class Visit>
void each_container(const PodIn& pod, Visit visit) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"})
    for (const model::Value& container : model::array_at(*pod.spec, {list})) visit(container);
}

/// Names of the containers that are `bad`.
template <class Bad>
Names containers_that(const PodIn& pod, Bad bad) {
  Names names;
  each_container(pod, [&](const model::Value& container) {
    if (bad(container)) names.emplace_back(model::string_at(container, {"name"}));
  });
  return names;
}

/// The member there; null if it is not, or null.
inline const model::Value* given(const model::Value& at,
                                 std::initializer_list<std::string_view> path) {
  const model::Value* value = model::find(at, path);
  return value != nullptr && !value->is_null() ? value : nullptr;
}

/// `pod and container "c"`: those that said a thing which they must not.
inline std::string setters(bool pod, const Names& names) {
  std::string out = pod ? "pod" : "";
  if (!names.empty()) out += (pod ? " and " : "") + containers(names);
  return out;
}

}  // namespace holdfast::apiserver::pod_security
