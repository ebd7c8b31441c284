#include <holdfast/volumes/volumes.h>

#include "classes.h"
#include "known.h"
#include "provider/choose.h"

namespace holdfast::volumes {

struct Machine::Body {
  Local local;
};

Machine::Machine(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&& other) noexcept = default;

Result<Machine> Machine::open(const Settings& settings, const Clock& clock) {
  std::unique_ptr<Provider> provider = HF_TRY(choose_provider(settings.provider, settings.folder));
  std::unique_ptr<Store> store =
      HF_TRY(Store::open(settings.folder, std::move(provider), clock, settings.stop));
  return Machine(std::make_unique<Body>(Body{{settings.node, std::move(store)}}));
}

std::string_view Machine::provider() const { return body_->local.store->provider().name(); }
std::string_view Machine::promise() const { return body_->local.store->provider().promise(); }

Result<void> Machine::install(kube::Client& client) const {
  return install_classes(client, body_->local);
}

std::vector<control::ControllerSpec> Machine::controllers() const {
  return {provisioning_controller(body_->local), reclaiming_controller(body_->local)};
}

std::vector<control::ControllerSpec> binders() {
  return {binding_controller(), phases_controller()};
}

}  // namespace holdfast::volumes
