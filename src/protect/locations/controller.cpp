#include "locations/controller.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/control/report.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/repository.h>

#include "locations/folders.h"
#include "locations/trial.h"

#include <fmt/format.h>

#include <vector>

namespace holdfast::protect {
namespace {

using control::Outcome;
using model::Value;

const kube::Resource& locations() { return kube::resource_of<BackupLocation>(); }

/// A Secret as it was read; nothing in it if it is not there.
struct SecretSeen {
  SecretEntries entries{};
  std::string version = "-";
};

/// By its name, and only for the moment: the right to list or watch Secrets would be one to read
/// all of them.
Result<SecretSeen> read_secret(control::Pass& pass, const std::string& ns,
                               const std::string& name) {
  const kube::Reply<Value> secret = pass.live(kube::kSecrets, ns, name);
  if (!secret && secret.error().not_found()) return SecretSeen();
  if (!secret)
    return secret.error().error.copy().with_context(fmt::format("read Secret {}/{}", ns, name));
  SecretSeen out{
      .entries = SecretEntries::value_type(),
      .version = std::string(model::string_at(*secret, {"metadata", "resourceVersion"}))};
  for (const auto& entry : model::object_at(*secret, {"data"}))
    (*out.entries)[std::string(entry.key())] =
        from_base64(model::string_at(*secret, {"data", entry.key()})).value_or("");
  return out;
}

class Watching final : public control::Reconciler {
 public:
  Watching(MoverSettings settings, AskBucket ask)
      : settings_(std::move(settings)), ask_(std::move(ask)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = control::find_subject<BackupLocation>(pass);
    if (!object) return Outcome::done();
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
    for (const kube::Cached& each : pass.list(locations(), seen.ns))
      if (each.name() != seen.name &&
          model::bool_at(*each.shared_value(), {"spec", "default"}, false))
        seen.other_defaults.emplace_back(each.name());
    seen.file_allowed = may_name_folders(settings_, seen.ns);
    seen.file_here = settings_.file_here;
    seen.is_admin = settings_.is_admin(seen.ns);
    look_at_repositories(pass, seen);
  }

  /// A Repository that was never opened stands for one that is to come.
  static void look_at_repositories(control::Pass& pass, LocationLook& seen) {
    for (const kube::Cached& each : pass.list(kube::resource_of<Repository>(), seen.ns)) {
      const auto repository = model::decode_object<Repository>(*each.shared_value());
      if (!repository || repository->spec.location.name != seen.name) continue;
      const Repository::Status& status = repository->status;
      if (status.repository_id.empty() && status.last_opened.empty()) continue;
      const std::string& holds = repository->spec.ns;
      seen.repositories.push_back(holds.empty() ? seen.ns : holds);
      const auto* healthy = control::find_condition(status.conditions, "Healthy");
      if (healthy == nullptr || healthy->status != "False" ||
          (healthy->reason != "RepositoryNotFound" && healthy->reason != "RepositoryChanged"))
        continue;
      seen.lost = {healthy->reason,
                   fmt::format("Repository {}/{}: {}", seen.ns, each.name(), healthy->message)};
    }
  }

  Result<Trial> trial_of(control::Pass& pass, const LocationLook& seen) const {
    const BackupLocation::Spec& spec = seen.location.spec;
    SecretSeen credential, password;
    std::vector<std::string> versions;
    if (spec.credential) {
      credential = HF_TRY(read_secret(pass, seen.ns, spec.credential->name));
      versions.push_back(credential.version);
    }
    if (spec.password) {
      password = HF_TRY(read_secret(pass, seen.ns, spec.password->name));
      versions.push_back(password.version);
    }
    Trial out =
        try_location(seen, open_secrets(seen.ns, spec, credential.entries, password.entries), ask_);
    out.secret_versions = join(versions, " ");
    return out;
  }

  const MoverSettings settings_;
  const AskBucket ask_;
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

/// The location of a Repository.
control::Keys location_of(const kube::Change& change) {
  const auto value = change.object().shared_value();
  return {kube::Key{std::string(change.object().ns()),
                    std::string(model::string_at(*value, {"spec", "location", "name"}))}};
}

}  // namespace

control::ControllerSpec location_controller(const MoverSettings& settings,
                                            const std::function<Outside()>& outside) {
  control::ControllerSpec spec;
  spec.name = "backuplocation-controller";
  spec.refused_condition = control::kRefused;
  spec.watch(locations()).lookup = itself_and_beside();
  spec.watch(kube::resource_of<Repository>()).map = location_of;
  spec.make = [settings, outside] {
    return std::make_unique<Watching>(settings, outside().ask_bucket);
  };
  spec.rights = {{"holdfast.dev", {"backuplocations/status"}, {"patch"}},
                 {"", {"secrets"}, {"get"}}};
  // One that does not answer holds its worker for ten seconds of each minute.
  spec.workers = 4;
  return spec;
}

}  // namespace holdfast::protect
