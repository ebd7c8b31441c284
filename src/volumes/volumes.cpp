#include <holdfast/control/refusal.h>
#include <holdfast/volumes/volumes.h>

#include "classes.h"
#include "known.h"
#include "provider/choose.h"
#include "provider/pool.h"

#include <fmt/format.h>

namespace holdfast::volumes {

struct Machine::Body {
  Local local{};
  Pool pool{};  ///< no folder: none
  bool leave_pool_mounted = false;
  bool snapshots_of_others = false;

  ~Body() {
    local.store.reset();
    if (!pool.folder.empty() && !leave_pool_mounted) close_pool(pool);
  }
};

Machine::Machine(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Machine::~Machine() = default;
Machine::Machine(Machine&& other) noexcept = default;

Result<Machine> Machine::open(const Settings& settings, const Clock& clock) {
  auto body = std::make_unique<Body>();
  body->local.node = settings.node;
  body->leave_pool_mounted = settings.leave_pool_mounted;
  // Others read it from the volume objects.
  std::filesystem::path folder = std::filesystem::absolute(settings.folder).lexically_normal();
  const bool has_pool = std::filesystem::exists(folder / "pool.btrfs");
  if (has_pool || (settings.pool_size > 0 && !shares_blocks(folder))) {
    body->pool = HF_TRY(open_pool(folder, settings.pool_size));
    body->local.trouble = body->pool.trouble;
    folder = body->pool.folder;
  }
  std::unique_ptr<Provider> provider = HF_TRY(choose_provider(settings.provider, folder));
  body->local.store = HF_TRY(Store::open(folder, std::move(provider), clock, settings.stop));
  return Machine(std::move(body));
}

std::string_view Machine::provider() const { return body_->local.store->provider().name(); }
std::string_view Machine::promise() const { return body_->local.store->provider().promise(); }

Result<void> Machine::install(kube::Client& client) {
  body_->local.kinds = HF_TRY(install_classes(client, body_->local));
  const std::string other = HF_TRY(find_snapshot_controller(client));
  body_->snapshots_of_others = !other.empty();
  if (other.empty()) return tell_on_class(client, body_->local.node, body_->local.trouble);
  const control::Refusal conflict{
      "SnapshotControllerConflict",
      fmt::format("{} runs here and refuses local volumes; snapshots are left to it", other)};
  return tell_on_class(client, body_->local.node, conflict.text(), conflict.reason);
}

std::vector<control::ControllerSpec> Machine::controllers() const {
  const Local& local = body_->local;
  std::vector<control::ControllerSpec> out{provisioning_controller(local),
                                           reclaiming_controller(local)};
  if (body_->snapshots_of_others) return out;
  for (control::ControllerSpec& spec : std::vector<control::ControllerSpec>{
           snapshots_controller(local.kinds), contents_controller(local),
           groups_controller(local.kinds), group_contents_controller(local)})
    out.push_back(std::move(spec));
  return out;
}

Result<void> report_trouble(kube::Client& client, std::string_view node, const Error& why) {
  std::string text = why.what();
  if (!why.hint().empty()) text += " (" + why.hint() + ")";
  return tell_on_class(client, node, text);
}

std::vector<control::ControllerSpec> binders() {
  return {binding_controller(), phases_controller()};
}

}  // namespace holdfast::volumes
