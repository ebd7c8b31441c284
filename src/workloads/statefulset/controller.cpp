/// statefulset-controller: members with names, claims and an order.
#include "known.h"
#include "pods/claim.h"
#include "statefulset/observe.h"
#include "statefulset/plan.h"

namespace holdfast::workloads {

using namespace statefulset;

namespace {

class StatefulSets : public control::Reconciler {
 public:
  Result<control::Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached set = pass.get(kube::kStatefulSets, pass.key().ns, pass.key().name);
    if (!set) return control::Outcome::done("Gone");
    Look look = HF_TRY(observe(pass, set));
    if (look.claiming) return control::Outcome::act(*std::move(look.claiming));
    return plan(look.seen);
  }
};

/// A claim is called TEMPLATE-SET-ORDINAL; either part may hold dashes, so each way to read it
/// names a set that may be waiting for this claim.
control::Keys sets_of_claim(const kube::Change& change) {
  const std::string_view name = member_name(change.object().name()).set;
  control::Keys keys;
  for (size_t dash = name.find('-'); dash != std::string_view::npos;
       dash = name.find('-', dash + 1))
    keys.push_back({std::string(change.object().ns()), std::string(name.substr(dash + 1))});
  return keys;
}

/// Also the set that waits for a pod in the way of its member: whoever owned it, by its name.
control::Lookup sets_of_pod() {
  return [owners = owner_or_selecting(kube::kStatefulSets)](const kube::Change& change,
                                                            kube::Informers& informers) {
    control::Keys keys = owners(change, informers);
    const MemberName member = member_name(change.object().name());
    if (change.kind == kube::Change::Kind::Deleted && keys.empty() && member.ordinal >= 0)
      keys.push_back({std::string(change.object().ns()), std::string(member.set)});
    return keys;
  };
}

/// Claims that come or go let a set move on; what is in them otherwise does not concern it.
bool comes_or_goes(const kube::Change& change) {
  return change.kind == kube::Change::Kind::Deleted ||
         (change.before && !change.before.being_deleted() && change.after.being_deleted());
}

}  // namespace

control::ControllerSpec statefulset_controller() {
  const std::pair<std::string, kube::IndexFunction> orphans{kOrphans, index_orphans};
  return {.name = "statefulset-controller",
          .watches =
              {{.scope = {.resource = kube::kStatefulSets}},
               {.scope = {.resource = kube::kPods}, .lookup = sets_of_pod(), .indexes = {orphans}},
               {.scope = {.resource = kube::kRevisions},
                .map = control::controlling_owner(kube::kStatefulSets),
                .indexes = {orphans}},
               {.scope = {.resource = kube::kClaims}, .map = sets_of_claim, .when = comes_or_goes}},
          .make = [] { return std::make_unique<StatefulSets>(); }};
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): it loses sight of a list that moves.
}

}  // namespace holdfast::workloads
