#include <holdfast/control/runtime.h>

#include "runtime/body.h"

namespace holdfast::control {

Runtime::Runtime(RuntimeSettings settings, net::Client& transport, const Clock& clock,
                 Random& random, const kube::Sleep& sleep)
    : body_(std::make_unique<Body>(std::move(settings), transport, clock, random, sleep)) {}

Runtime::~Runtime() = default;

void Runtime::add(ControllerSpec spec) { body_->add(std::move(spec)); }

kube::Informers& Runtime::informers() { return body_->informers; }
const std::vector<std::unique_ptr<Controller>>& Runtime::controllers() const {
  return body_->controllers;
}
Elector* Runtime::elector() { return body_->elector ? &*body_->elector : nullptr; }
EventRecorder& Runtime::events() { return body_->events; }
Metrics& Runtime::metrics() { return body_->metrics; }
kube::Client& Runtime::client() { return body_->client; }
bool Runtime::leads() const { return body_->leads(); }
bool Runtime::may_reconcile(const Controller& controller) const {
  return body_->leads() && controller.synced();
}
bool Runtime::may_reconcile() const { return body_->informers.synced() && body_->leads(); }
std::vector<Part> Runtime::parts() const { return body_->watch_over.parts(); }
std::string Runtime::pages_address() const { return body_->pages_address(); }
Result<void> Runtime::run(const std::stop_token& stop) { return body_->run(stop); }

}  // namespace holdfast::control
