#include "operator_thread.h"

#include <holdfast/control/runtime.h>
#include <holdfast/drivers/drivers.h>
#include <holdfast/net/in_process.h>
#include <holdfast/protect/kinds.h>

#include "keep_running.h"
#include "manifest_commands.h"

namespace holdfast::cli {
namespace {

net::Peer holdfast_operator() {
  return {.address = "in-process",
          .certificate = true,
          .common_name = "system:serviceaccount:holdfast-system:holdfast-operator",
          .organizations = {"system:masters"}};
}

}  // namespace

Operator::Operator(net::Service& service, protect::DriverChoice choice)
    : choice_(std::move(choice)),
      transport_(net::make_in_process(service, holdfast_operator())),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Result<void> Operator::run_once(const std::stop_token& stop) {
  control::RuntimeSettings settings;
  settings.name = "holdfast-operator";
  settings.instance = "holdfast";
  control::Runtime runtime(std::move(settings), *transport_, clock_, random_,
                           kube::sleep_until_stopped());
  for (const model::Value& definition : all_definitions()) {
    const kube::Reply<model::Value> applied =
        runtime.client().apply(kube::kDefinitions, definition, true);
    if (!applied) return applied.error().error.copy().with_context("install the kinds");
  }
  for (const model::Value& role : people_roles()) {
    const kube::Reply<model::Value> applied =
        runtime.client().apply(kube::kClusterRoles, role, true);
    if (!applied) return applied.error().error.copy().with_context("install the roles");
  }
  protect::Surroundings around(runtime, clock_);
  for (control::ControllerSpec& spec : protect::all_controllers(
           choice_, drivers::all(), around.outside(), [&runtime] { return runtime.parts(); }))
    runtime.add(std::move(spec));
  return runtime.run(stop);
}

void Operator::run(const std::stop_token& stop) {
  keep_running("operator", stop, [this, &stop] { return run_once(stop); });
}

}  // namespace holdfast::cli
