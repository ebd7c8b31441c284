#include "drivers/controller.h"

#include <holdfast/kube/typed.h>

#include "drivers/plan.h"

#include <algorithm>

namespace holdfast::protect {
namespace {

using control::Outcome;

bool holds(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class Recording final : public control::Reconciler {
 public:
  Recording(std::vector<std::string> names, std::vector<std::string> chosen,
            std::function<std::vector<control::Part>()> parts)
      : names_(std::move(names)), chosen_(std::move(chosen)), parts_(std::move(parts)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    DriverSeen seen;
    seen.name = pass.key().name;
    if (!holds(names_, seen.name)) return Outcome::done("NotOurs");
    seen.object = pass.get(kube::resource_of<DriverRecord>(), "", seen.name);
    if (seen.object)
      seen.record = HF_TRY(model::decode_object<DriverRecord>(*seen.object.shared_value()));
    seen.chosen = holds(chosen_, seen.name);
    for (control::Part& part : parts_())
      if (part.name == seen.name) seen.part = std::move(part);
    seen.now = pass.now();
    return plan_driver(seen);
  }

 private:
  const std::vector<std::string> names_, chosen_;
  const std::function<std::vector<control::Part>()> parts_;
};

}  // namespace

control::ControllerSpec driver_controller(std::vector<std::string> names,
                                          std::vector<std::string> chosen,
                                          std::function<std::vector<control::Part>()> parts) {
  control::ControllerSpec spec;
  spec.name = "driver-controller";
  spec.watch(kube::resource_of<DriverRecord>());
  for (const std::string& name : names) spec.first.push_back({"", name});
  spec.make = [names = std::move(names), chosen = std::move(chosen), parts = std::move(parts)] {
    return std::make_unique<Recording>(names, chosen, parts);
  };
  spec.rights = {{"holdfast.dev", {"drivers"}, {"create"}},
                 {"holdfast.dev", {"drivers/status"}, {"patch"}}};
  return spec;
}

}  // namespace holdfast::protect
