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
    if (!holds(names_, pass.key().name)) return Outcome::done("NotOurs");
    if (const kube::Cached object = control::find_subject<DriverRecord>(pass))
      HF_TRY(control::read_subject(pass, object, seen, seen.record));
    seen.name = pass.key().name;
    seen.now = pass.now();
    seen.chosen = holds(chosen_, seen.name);
    for (control::Part& part : parts_())
      if (part.name == seen.name) seen.part = std::move(part);
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
