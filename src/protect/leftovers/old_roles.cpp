#include "leftovers/old_roles.h"

#include <holdfast/kube/typed.h>
#include <holdfast/protect/use_move.h>

namespace holdfast::protect {
namespace {

using control::Outcome;

constexpr std::string_view kOldName = "holdfast-mover";

bool is_old(const kube::Cached& object) {
  if (object.name() != kOldName && !object.name().starts_with(std::string(kOldName) + "."))
    return false;
  for (const auto& [label, value] : object.labels())
    if (label == "app.kubernetes.io/managed-by") return value == "holdfast";
  return false;
}

/// Bindings first: a right that nobody has is no right, and the role is what is looked for.
class Removing final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    for (const kube::Cached& binding : pass.list(kube::kRoleBindings, pass.key().ns))
      if (is_old(binding)) return Outcome::act(control::remove(kube::kRoleBindings, binding));
    const kube::Cached role = pass.get(kube::kRoles, pass.key().ns, pass.key().name);
    if (!role || !is_old(role)) return Outcome::done();
    return Outcome::act(control::remove(kube::kRoles, role));
  }
};

}  // namespace

control::ControllerSpec old_roles_controller() {
  control::ControllerSpec spec;
  spec.name = "old-mover-role-controller";
  const auto only_old = [](const kube::Change& change) { return is_old(change.object()); };
  control::Watch& roles = spec.watch(kube::kRoles);
  roles.when = only_old;
  roles.scope.metadata_only = true;
  control::Watch& bindings = spec.watch(kube::kRoleBindings);
  bindings.map = control::nobody;
  bindings.scope.metadata_only = true;
  // Where moves are not served there is nothing to do, and nothing to lead for.
  control::Watch& moves = spec.watch(kube::resource_of<DataMove>());
  moves.map = control::nobody;
  moves.when = beyond_progress;
  spec.make = [] { return std::make_unique<Removing>(); };
  spec.rights = {{"rbac.authorization.k8s.io", {"roles", "rolebindings"}, {"delete"}}};
  return spec;
}

}  // namespace holdfast::protect
