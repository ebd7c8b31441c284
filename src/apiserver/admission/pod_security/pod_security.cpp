// PodSecurity: pods of a namespace as its labels ask for them. A pod that violates what is enforced
// is refused, at once and whoever makes it; a template is only warned of, since its pods will be
// judged when they are made; and a namespace that is given stricter labels is told which of its
// pods would be refused today. No user, namespace or runtime class is exempt. `audit` would go to
// an audit log, which this server has not.
#include <holdfast/base/walls.h>

#include "admission/plugins.h"
#include "admission/pod_security/checks.h"
#include "rest/form.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace holdfast::apiserver {
namespace {

using pod_security::LevelVersion;
using pod_security::Policy;
using pod_security::Violation;

constexpr size_t kMostPods = 3000;

bool is_core(const Resource& resource, std::string_view kind) {
  return resource.group.empty() && resource.kind == kind;
}

void warn(const Admission& admission, std::string warning) {
  if (admission.request.warnings != nullptr)
    admission.request.warnings->push_back(std::move(warning));
}

/// Images count, since a level might one day depend on them; other changes do not.
bool is_significant(const Value& pod, const Value& old) {
  for (const std::string_view list : {"containers", "initContainers"}) {
    const Array& now = model::array_at(pod, {"spec", list});
    const Array& before = model::array_at(old, {"spec", list});
    if (now.size() != before.size()) return true;
    for (size_t i = 0; i < now.size(); ++i)
      if (model::string_at(now[i], {"image"}) != model::string_at(before[i], {"image"}))
        return true;
  }
  return false;
}

Answer<void> judge(const Admission& admission, const Policy& policy, const PodIn& pod) {
  if (!pod.is_template && wall_stands("PodSecurity is enforced")) {
    const std::vector<Violation> found = violations(policy.enforce, pod);
    if (!found.empty())
      return model::forbidden(
          admission.request.resource->group_resource(),
          model::string_at(admission.object, {"metadata", "name"}),
          fmt::format("violates PodSecurity \"{}\": {}", policy.enforce.text(), details_of(found)));
  }
  if (const std::vector<Violation> found = violations(policy.warn, pod); !found.empty())
    warn(admission, fmt::format("would violate PodSecurity \"{}\": {}", policy.warn.text(),
                                details_of(found)));
  return {};
}

Answer<void> check_pod(const Api& api, const Admission& admission) {
  const Resource& resource = *admission.request.resource;
  const std::optional<PodIn> pod = pod_in(admission.object, resource);
  if (!pod || resource.kind == "ControllerRevision") return {};
  if (is_core(resource, "Pod") && admission.old != nullptr &&
      !is_significant(admission.object, *admission.old))
    return {};
  const StoredPtr ns = api.store.get({"namespaces", "", admission.request.ns});
  if (ns == nullptr || ns->meta.labels.empty()) return {};
  model::FieldErrors bad_labels;  // written before they were checked
  return judge(admission, pod_security::policy_of(parse_stored(*ns), bad_labels), *pod);
}

/// The pods of a namespace, one of each controller first.
std::vector<Value> pods_of(const Api& api, const std::string& ns) {
  std::vector<Value> first, more;
  Range range;
  range.resource = "pods";
  range.ns = ns;
  const Result<Page> page = api.store.list(range);
  if (!page) return first;
  std::map<std::string, bool> seen;
  for (const StoredPtr& item : page->items) {
    std::string controller;
    for (const model::OwnerReference& owner : item->meta.owners)
      if (owner.controller) controller = owner.uid;
    const bool again = !controller.empty() && !seen.emplace(controller, true).second;
    (again ? more : first).push_back(parse_stored(*item));
  }
  std::move(more.begin(), more.end(), std::back_inserter(first));
  return first;
}

/// Pods of one namespace that violate the same: the first of them by name, and how many.
struct Alike {
  std::string first;
  size_t count = 0;
};

std::string told(const std::string& reasons, const Alike& pods) {
  const size_t others = pods.count - 1;
  const std::string rest =
      others == 0 ? "" : fmt::format(" (and {} other {})", others, others == 1 ? "pod" : "pods");
  return fmt::format("{}{}: {}", pods.first, rest, reasons);
}

void warn_of_pods(const Api& api, const Admission& admission, const LevelVersion& enforce) {
  const std::vector<Value> all = pods_of(api, admission.request.name);
  std::map<std::string, Alike> alike;
  const size_t checked = std::min(all.size(), kMostPods);
  for (size_t i = 0; i < checked; ++i) {
    const std::string reasons = reasons_of(violations(enforce, pod_of(all[i])));
    if (reasons.empty()) continue;
    const std::string name(model::string_at(all[i], {"metadata", "name"}));
    Alike& same = alike[reasons];
    if (same.count++ == 0 || name < same.first) same.first = name;
  }
  if (checked < all.size())
    warn(admission,
         fmt::format("new PodSecurity enforce level only checked against the first {} of "
                     "{} existing pods",
                     checked, all.size()));
  if (alike.empty()) return;
  warn(admission, fmt::format("existing pods in namespace \"{}\" violate the new PodSecurity "
                              "enforce level \"{}\"",
                              admission.request.name, enforce.text()));
  std::set<std::string> lines;
  for (const auto& [reasons, same] : alike) lines.insert(told(reasons, same));
  for (const std::string& line : lines) warn(admission, line);
}

bool same_errors(const model::FieldErrors& a, const model::FieldErrors& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return one.text() == other.text(); });
}

Answer<void> check_namespace(const Api& api, const Admission& admission) {
  model::FieldErrors errors, old_errors;
  const Policy policy = pod_security::policy_of(admission.object, errors);
  Policy before;
  if (admission.old != nullptr) before = pod_security::policy_of(*admission.old, old_errors);
  if (!errors.empty() && !same_errors(errors, old_errors))
    return model::invalid(admission.request.resource->group_kind(),
                          model::string_at(admission.object, {"metadata", "name"}), errors);
  if (admission.old == nullptr || policy.enforce == before.enforce) return {};
  const bool relaxed =
      policy.enforce.minor == before.enforce.minor && policy.enforce.level <= before.enforce.level;
  if (policy.enforce.level != pod_security::Level::Privileged && !relaxed)
    warn_of_pods(api, admission, policy.enforce);
  return {};
}

}  // namespace

Answer<void> pod_security_standards(Api& api, const Admission& admission) {
  if (admission.verb == AdmissionVerb::Delete || !admission.request.subresource.empty()) return {};
  if (is_core(*admission.request.resource, "Namespace")) return check_namespace(api, admission);
  return check_pod(api, admission);
}

}  // namespace holdfast::apiserver
