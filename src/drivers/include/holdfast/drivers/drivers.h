/// Everything that is protected, each by one driver: their kinds and their controllers.
#pragma once

#include <holdfast/control/metrics.h>
#include <holdfast/control/reconciler.h>
#include <holdfast/model/json.h>
#include <holdfast/protect/controllers.h>
#include <holdfast/protect/quiesce.h>

#include <functional>
#include <string>
#include <vector>

namespace holdfast::drivers {

/// CustomResourceDefinitions of all drivers, sorted by name.
std::vector<model::Value> definitions();

struct Settings {
  /// Who here may act in other namespaces, with the operator's own rights.
  std::vector<std::string> admin_namespaces = {"longhorn-system", "holdfast-system"};
  protect::MoverSettings movers{};
};

/// What effects outside the server go through; they must outlive the controllers.
struct Outside {
  kube::Client& client;
  protect::PodExec& exec;
  const Clock& clock;
  kube::Sleep sleep;
  control::Metrics& metrics;
};

/// `outside` is called when controllers are made, not before.
std::vector<control::ControllerSpec> controllers(const Settings& settings,
                                                 const std::function<Outside()>& outside);

}  // namespace holdfast::drivers
