#include "auth/authorizer.h"

#include <holdfast/base/mutex.h>
#include <holdfast/base/text.h>

#include "auth/rules.h"
#include "rest/form.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::apiserver {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";

struct Subject {
  std::string kind, name, ns;
};

struct Binding {
  std::string ns, name;  // ns "" = ClusterRoleBinding
  std::string role_kind, role;
  std::vector<Subject> subjects;
};

using RoleName = std::pair<std::string, std::string>;  // ns ("" = ClusterRole), name

// All roles and bindings at one moment; shared, never changed.
struct Index {
  std::map<RoleName, std::shared_ptr<const std::vector<PolicyRule>>> roles;
  std::map<RoleName, std::shared_ptr<const Binding>> bindings;
};

Binding read_binding(const Key& key, const model::Value& object) {
  Binding binding{key.ns,
                  key.name,
                  std::string(model::string_at(object, {"roleRef", "kind"})),
                  std::string(model::string_at(object, {"roleRef", "name"})),
                  {}};
  for (const model::Value& subject : model::array_at(object, {"subjects"}))
    binding.subjects.push_back({std::string(model::string_at(subject, {"kind"})),
                                std::string(model::string_at(subject, {"name"})),
                                std::string(model::string_at(subject, {"namespace"}))});
  return binding;
}

std::vector<PolicyRule> read_rules(const model::Value& role) {
  std::vector<PolicyRule> rules;
  for (const model::Value& rule : model::array_at(role, {"rules"}))
    rules.push_back(read_rule(rule));
  return rules;
}

bool is_subject(const Subject& subject, const User& user, const std::string& binding_ns) {
  if (subject.kind == "User") return subject.name == user.name;
  if (subject.kind == "Group")
    return std::find(user.groups.begin(), user.groups.end(), subject.name) != user.groups.end();
  if (subject.kind != "ServiceAccount") return false;
  const std::string& ns = subject.ns.empty() ? binding_ns : subject.ns;
  return !ns.empty() &&
         user.name == fmt::format("{}{}:{}", kServiceAccountPrefix, ns, subject.name);
}

std::string describe(const Subject& subject) {
  if (subject.kind == "ServiceAccount")
    return fmt::format("ServiceAccount \"{}/{}\"", subject.name, subject.ns);
  return fmt::format("{} \"{}\"", subject.kind, subject.name);
}

std::string describe(const Binding& binding, const Subject& subject) {
  const std::string name = binding.ns.empty()
                               ? fmt::format("ClusterRoleBinding \"{}\"", binding.name)
                               : fmt::format("RoleBinding \"{}/{}\"", binding.name, binding.ns);
  return fmt::format("{} of {} \"{}\" to {}", name, binding.role_kind, binding.role,
                     describe(subject));
}

// Calls `visit(rule, binding, subject)` for every rule that applies until it returns false.
template <class Visit>
std::vector<std::string> visit_rules(const Index& index, const User& user, std::string_view ns,
                                     Visit visit) {
  std::vector<std::string> unresolved;
  for (const auto& [name, binding] : index.bindings) {
    if (!binding->ns.empty() && binding->ns != ns) continue;
    for (const Subject& subject : binding->subjects) {
      if (!is_subject(subject, user, binding->ns)) continue;
      const auto role =
          index.roles.find({binding->role_kind == "ClusterRole" ? "" : binding->ns, binding->role});
      if (role == index.roles.end()) {
        unresolved.push_back(fmt::format("{}.{} \"{}\" not found", to_lower(binding->role_kind),
                                         kGroup, binding->role));
        break;
      }
      for (const PolicyRule& rule : *role->second)
        if (!visit(rule, *binding, subject)) return unresolved;
      break;
    }
  }
  return unresolved;
}

// Parts that differ only in their verb are told as one.
std::vector<std::string> compact(const std::vector<PolicyRule>& parts) {
  std::map<std::tuple<std::vector<std::string>, std::vector<std::string>, std::vector<std::string>,
                      std::vector<std::string>>,
           PolicyRule>
      merged;
  for (const PolicyRule& part : parts) {
    PolicyRule& rule =
        merged[{part.api_groups, part.resources, part.resource_names, part.non_resource_urls}];
    if (rule.verbs.empty())
      rule = part;
    else
      rule.verbs.push_back(part.verbs[0]);
  }
  std::set<std::string> texts;
  for (const auto& [key, rule] : merged) texts.insert(compact_text(rule));
  return {texts.begin(), texts.end()};
}

class Rbac final : public Authorizer {
 public:
  explicit Rbac(Store& store) {
    auto index = std::make_shared<Index>();
    for (const std::string_view resource :
         {"roles", "clusterroles", "rolebindings", "clusterrolebindings"}) {
      const Result<Page> page = store.list({.resource = fmt::format("{}/{}", kGroup, resource),
                                            .ns = {},
                                            .from_ns = "",
                                            .from_name = "",
                                            .limit = 0,
                                            .at = 0});
      HF_CHECK(page);
      for (const StoredPtr& stored : page->items)
        put(*index, {fmt::format("{}/{}", kGroup, resource), stored->meta.ns, stored->meta.name},
            *stored);
    }
    {
      const Lock lock(mutex_);
      index_ = std::move(index);
    }
    // Not under our lock: the store calls note() under its own.
    store.on_change([this](const Change& change) { note(change); });
  }

  Decision authorize(const User& user, const Attributes& what) const override {
    for (const std::string& group : user.groups)
      if (group == "system:masters") return {true, ""};
    Decision decision;
    const std::vector<std::string> unresolved =
        visit_rules(*index(), user, what.ns,
                    [&](const PolicyRule& rule, const Binding& binding, const Subject& subject) {
                      if (!allows(rule, what)) return true;
                      decision = {true, "RBAC: allowed by " + describe(binding, subject)};
                      return false;
                    });
    if (!decision.allowed && !unresolved.empty())
      decision.reason = unresolved.size() == 1 ? "RBAC: " + unresolved[0]
                                               : "RBAC: [" + join(unresolved, ", ") + "]";
    return decision;
  }

  std::vector<PolicyRule> rules_for(const User& user, std::string_view ns) const override {
    std::vector<PolicyRule> rules;
    if (std::find(user.groups.begin(), user.groups.end(), "system:masters") != user.groups.end())
      rules.push_back({{"*"}, {"*"}, {"*"}, {}, {}}), rules.push_back({{"*"}, {}, {}, {}, {"*"}});
    visit_rules(*index(), user, ns, [&](const PolicyRule& rule, const Binding&, const Subject&) {
      rules.push_back(rule);
      return true;
    });
    return rules;
  }

  model::Answer<bool> check_escalation(const User& user, const model::GroupKind& kind,
                                       const model::Value& object,
                                       const model::Value* old) const override {
    const bool binding = kind.kind == "RoleBinding" || kind.kind == "ClusterRoleBinding";
    const std::string ns(model::string_at(object, {"metadata", "namespace"}));
    const std::string name(model::string_at(object, {"metadata", "name"}));
    const std::string resource = to_lower(kind.kind) + "s";
    if (old != nullptr && unchanged(object, *old)) return true;
    std::vector<PolicyRule> wanted;
    if (binding) {
      const std::string role_kind(model::string_at(object, {"roleRef", "kind"}));
      const std::string role(model::string_at(object, {"roleRef", "name"}));
      if (authorize(user, {.verb = "bind",
                           .group = std::string(kGroup),
                           .version = "v1",
                           .resource = to_lower(role_kind) + "s",
                           .subresource = "",
                           .ns = ns,
                           .name = role,
                           .path = ""})
              .allowed)
        return true;
      const auto snapshot = index();
      const auto found = snapshot->roles.find({role_kind == "ClusterRole" ? "" : ns, role});
      if (found == snapshot->roles.end())
        return model::not_found(
            {std::string(kGroup), ns.empty() ? "clusterrolebindings" : "rolebindings"}, role);
      wanted = *found->second;
    } else {
      if (authorize(user, {.verb = "escalate",
                           .group = std::string(kGroup),
                           .version = "v1",
                           .resource = resource,
                           .subresource = "",
                           .ns = ns,
                           .name = name,
                           .path = ""})
              .allowed)
        return true;
      wanted = read_rules(object);
    }
    const std::vector<PolicyRule> missing = not_covered(rules_for(user, ns), wanted);
    if (missing.empty()) return true;
    std::vector<std::string> groups;
    for (const std::string& group : user.groups) groups.push_back(quoted(group));
    return model::forbidden(
        {std::string(kGroup), resource}, name,
        fmt::format("user \"{}\" (groups=[{}]) is attempting to grant RBAC permissions not "
                    "currently held:\n{}",
                    user.name, join(groups, " "), join(compact(missing), "\n")));
  }

 private:
  static bool unchanged(const model::Value& object, const model::Value& old) {
    for (const std::string_view member : {"rules", "aggregationRule", "roleRef", "subjects"}) {
      const model::Value* a = model::find(object, {member});
      const model::Value* b = model::find(old, {member});
      if ((a == nullptr) != (b == nullptr) || (a != nullptr && !model::equal(*a, *b))) return false;
    }
    return true;
  }

  static void put(Index& index, const Key& key, const Stored& stored) {
    const model::Value object = parse_stored(stored);
    const RoleName name{key.ns, key.name};
    if (key.resource.ends_with("bindings"))
      index.bindings[name] = std::make_shared<const Binding>(read_binding(key, object));
    else
      index.roles[name] = std::make_shared<const std::vector<PolicyRule>>(read_rules(object));
  }

  void note(const Change& change) {
    if (!change.key.resource.starts_with(kGroup)) return;
    auto next = std::make_shared<Index>(*index());
    if (change.type != ChangeType::Deleted)
      put(*next, change.key, *change.object);
    else if (change.key.resource.ends_with("bindings"))
      next->bindings.erase({change.key.ns, change.key.name});
    else
      next->roles.erase({change.key.ns, change.key.name});
    const Lock lock(mutex_);
    index_ = std::move(next);
  }

  std::shared_ptr<const Index> index() const {
    const Lock lock(mutex_);
    return index_;
  }

  mutable Mutex mutex_;
  std::shared_ptr<const Index> index_ HF_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Authorizer> Authorizer::make(Store& store) { return std::make_unique<Rbac>(store); }

}  // namespace holdfast::apiserver
