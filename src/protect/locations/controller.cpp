#include "locations/controller.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/mutex.h>
#include <holdfast/control/report.h>
#include <holdfast/kube/typed.h>

#include "locations/folders.h"
#include "locations/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace holdfast::protect {
namespace {

using control::Outcome;
using model::Value;

const kube::Resource& locations() { return kube::resource_of<BackupLocation>(); }

/// What the Secrets of locations held when they were last read. As long as a location and the
/// versions of its Secrets are the same, a try reads nothing from the server.
class SecretsKept {
 public:
  /// Nothing if they must be read.
  std::optional<OpenedSecrets> get(const LocationLook& seen) const {
    const Lock lock(mutex_);
    const auto found = all_.find(kube::key_of(seen.object));
    if (found == all_.end() || found->second.of != state(seen)) return std::nullopt;
    return found->second.secrets;
  }
  void keep(const LocationLook& seen, const OpenedSecrets& secrets) {
    const Lock lock(mutex_);
    all_.insert_or_assign(kube::key_of(seen.object), Kept{state(seen), secrets});
  }
  void forget(const kube::Key& location) {
    const Lock lock(mutex_);
    all_.erase(location);
  }

 private:
  /// All that decides what they would say: other Secrets are named by another generation.
  static std::string state(const LocationLook& seen) {
    return fmt::format("{} {} {}", seen.object.uid(), seen.generation, seen.secret_versions);
  }
  struct Kept {
    std::string of{};
    OpenedSecrets secrets{};
  };
  mutable Mutex mutex_{};
  std::map<kube::Key, Kept> all_ HF_GUARDED_BY(mutex_){};
};

class Watching final : public control::Reconciler {
 public:
  Watching(MoverSettings settings, AskBucket ask)
      : settings_(std::move(settings)), ask_(std::move(ask)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = control::find_subject<BackupLocation>(pass);
    if (!object) {
      kept_.forget(pass.key());
      return Outcome::done();
    }
    LocationLook seen;
    HF_TRY(control::read_subject(pass, object, seen, seen.location));
    look(pass, seen);
    Outcome outcome = plan_location(seen);
    if (outcome.asked() != kTry) return outcome;
    seen.trial = HF_TRY(trial_of(pass, seen));
    return plan_location(seen);
  }

 private:
  void look(control::Pass& pass, LocationLook& seen) const {
    seen.secret_versions = secret_versions(pass, seen.ns, seen.location.spec);
    for (const kube::Cached& each : pass.list(locations(), seen.ns))
      if (each.name() != seen.name &&
          model::bool_at(*each.shared_value(), {"spec", "default"}, false))
        seen.other_defaults.emplace_back(each.name());
    seen.file_allowed = may_name_folders(settings_, seen.ns);
    seen.file_here = settings_.file_here;
  }

  Result<Trial> trial_of(control::Pass& pass, const LocationLook& seen) {
    const BackupLocation::Spec& spec = seen.location.spec;
    std::optional<OpenedSecrets> secrets = kept_.get(seen);
    if (!secrets) {
      SecretEntries credential, password;
      if (spec.credential) credential = HF_TRY(entries_of(pass, seen.ns, spec.credential->name));
      if (spec.password) password = HF_TRY(entries_of(pass, seen.ns, spec.password->name));
      secrets = open_secrets(seen.ns, spec, credential, password);
      kept_.keep(seen, *secrets);
    }
    return try_location(seen.ns, spec, *secrets, ask_);
  }

  static Result<SecretEntries> entries_of(control::Pass& pass, const std::string& ns,
                                          const std::string& name) {
    kube::Reply<Value> secret = pass.live(kube::kSecrets, ns, name);
    if (!secret && secret.error().not_found()) return SecretEntries();
    if (!secret) return secret.take_error().error;
    std::map<std::string, std::string> out;
    for (const auto& entry : model::object_at(*secret, {"data"}))
      out[std::string(entry.key())] =
          from_base64(model::string_at(*secret, {"data", entry.key()})).value_or("");
    return SecretEntries(std::move(out));
  }

  const MoverSettings settings_;
  const AskBucket ask_;
  SecretsKept kept_{};
};

/// The location itself; and if its spec has changed the others beside it, whose claim to be the
/// default may depend on it.
control::Lookup itself_and_beside() {
  return [](const kube::Change& change, kube::Informers& informers) {
    control::Keys keys = control::itself(change);
    if (!control::generation_changed()(change)) return keys;
    if (const kube::Informer* all = informers.covering(locations(), ""))
      for (const kube::Cached& each : all->list(change.object().ns()))
        keys.push_back(kube::key_of(each));
    return keys;
  };
}

control::Lookup whose_secret() {
  return [](const kube::Change& change, kube::Informers& informers) {
    control::Keys keys;
    const kube::Informer* all = informers.covering(locations(), "");
    if (all == nullptr) return keys;
    for (const kube::Cached& each : all->list(change.object().ns())) {
      const auto location = model::decode_object<BackupLocation>(*each.shared_value());
      if (location && names_secret(location->spec, change.object().name()))
        keys.push_back(kube::key_of(each));
    }
    return keys;
  };
}

}  // namespace

bool names_secret(const BackupLocation::Spec& spec, std::string_view name) {
  return (spec.credential && spec.credential->name == name) ||
         (spec.password && spec.password->name == name);
}

std::string secret_versions(control::Pass& pass, const std::string& ns,
                            const BackupLocation::Spec& spec) {
  const auto version = [&pass, &ns](const std::string& name) {
    const kube::Cached secret = pass.get(kube::kSecrets, ns, name);
    return secret ? std::to_string(secret.version()) : "-";
  };
  std::vector<std::string> out;
  if (spec.credential) out.push_back(version(spec.credential->name));
  if (spec.password) out.push_back(version(spec.password->name));
  return join(out, " ");
}

control::Watch watch_secrets() {
  control::Watch watch;
  watch.scope.resource = kube::kSecrets;
  watch.scope.metadata_only = true;
  return watch;
}

control::ControllerSpec location_controller(const MoverSettings& settings,
                                            const std::function<Outside()>& outside) {
  control::ControllerSpec spec;
  spec.name = "backuplocation-controller";
  spec.watch(locations()).lookup = itself_and_beside();
  spec.watches.push_back(watch_secrets());
  spec.watches.back().lookup = whose_secret();
  spec.make = [settings, outside] {
    return std::make_unique<Watching>(settings, outside().ask_bucket);
  };
  spec.rights = {{"holdfast.dev", {"backuplocations/status"}, {"patch"}}};
  // One that does not answer holds its worker for ten seconds of each minute.
  spec.workers = 4;
  return spec;
}

}  // namespace holdfast::protect
