// The driver of Memos: its kind, its controller, and the command that this runs in a pod.
#include <holdfast/kube/typed.h>
#include <holdfast/protect/pod_output.h>
#include <holdfast/protect/use_move.h>

#include "plan.h"

namespace holdfast::drivers::memo {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using protect::DataMove;

class Keeping final : public control::Reconciler {
 public:
  explicit Keeping(protect::Outside outside) : outside_(std::move(outside)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    Seen seen;
    const kube::Cached object = control::find_subject<Memo>(pass);
    if (!object) return Outcome::done();
    HF_TRY(control::read_subject(pass, object, seen, seen.memo));
    seen.command = control::find_operation(*object.shared_value(), "command");
    for (const auto& move : pass.controlled_by(kube::resource_of<DataMove>(), seen.uid))
      seen.move = HF_TRY(model::decode_object<DataMove>(move.value()));
    Outcome outcome = plan(seen);
    if (outcome.asked() == "command") answer(seen, std::get<control::Operation>(outcome.effect));
    return outcome;
  }

 private:
  void answer(const Seen& seen, control::Operation& asked) const {
    asked.resource = kube::resource_of<Memo>();
    asked.owner = seen.object;
    asked.limit = kCommandLimit + 1s;
    asked.run = [this, ns = seen.ns, spec = seen.memo.spec]() -> Result<model::Value> {
      return model::Value(HF_TRY(protect::pod_output(outside_.exec, outside_.clock,
                                                     {ns, spec.pod, "", spec.account}, spec.command,
                                                     kCommandLimit)));
    };
  }

  const protect::Outside outside_;
};

std::vector<control::ControllerSpec> controllers(const protect::DriverSettings&,
                                                 const std::function<protect::Outside()>& outside) {
  control::ControllerSpec spec;
  spec.name = "memo-controller";
  spec.watch(kube::resource_of<Memo>());
  protect::watch_moves(spec, control::controlling_owner(kube::resource_of<Memo>()));
  spec.longest_operation = kCommandLimit + 1s;
  spec.make = [outside] { return std::make_unique<Keeping>(outside()); };
  spec.rights = {{"test.holdfast.dev", {"memos/status"}, {"patch"}},
                 {"", {"pods/exec"}, {"create", "get"}},
                 {"", {"serviceaccounts"}, {"impersonate"}},
                 {"holdfast.dev", {"datamoves"}, {"create"}}};
  return {std::move(spec)};
}

}  // namespace

protect::Driver driver() {
  const model::Definition memos{.doc = "Output of a command in a pod, kept in a repository.",
                                .columns = {{"Phase", "string", ".status.phase"}}};
  return {"memo", {model::definition_manifest<Memo>(memos)}, controllers};
}

}  // namespace holdfast::drivers::memo
