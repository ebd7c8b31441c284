// Enrolment of Repositories: each DataMove that has put something into a location has one there.
#include <holdfast/kube/typed.h>
#include <holdfast/protect/data_move.h>
#include <holdfast/protect/repository.h>
#include <holdfast/protect/use_move.h>

#include "locations/resolve.h"
#include "repositories/controller.h"
#include "repositories/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

using control::Outcome;
using model::Object;
using model::Value;

constexpr size_t kLongestName = 63;
/// Tells Repositories apart whose names would be the same: location a-b of namespace c, and
/// location a of namespace b-c.
constexpr std::string_view kOfLabel = "holdfast.dev/repository-of";

const kube::Resource& repositories() { return kube::resource_of<Repository>(); }

/// The repository is there: the mover that made it is done, or held a lock in it.
bool has_left_something(const DataMove& move) {
  // A move that follows has snapshots long before it is over, if ever.
  if (move.status.phase == DataMove::Phase::Completed || !move.status.snapshot_id.empty())
    return true;
  const bool over = move.status.phase == DataMove::Phase::Failed ||
                    move.status.phase == DataMove::Phase::Canceled;
  return over && !move.status.lock_id.empty();
}

/// What is fixed by location and namespace alone.
std::string identity_of(const LocationSeen& location, const std::string& ns) {
  return fmt::format("{}/{}", location.uid, ns);
}

Value repository_for(const LocationSeen& location, const std::string& ns, std::string name) {
  Repository made;
  made.spec.location.name = location.name;
  made.spec.ns = ns;
  made.spec.maintenance = default_maintenance(identity_of(location, ns));
  Value out = model::encode_object(made);
  out.as_object()["metadata"] =
      Object{{"name", std::move(name)},
             {"namespace", location.ns},
             {"labels", Object{{"app.kubernetes.io/managed-by", "holdfast"},
                               {kOfLabel, control::short_hash(identity_of(location, ns))}}}};
  return out;
}

class Enrolling final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object =
        pass.get(kube::resource_of<DataMove>(), pass.key().ns, pass.key().name);
    if (!object) return Outcome::done();
    const Result<DataMove> move = model::decode_object<DataMove>(*object.shared_value());
    if (!move || !has_left_something(*move)) return Outcome::done();
    const std::string ns(object.ns());
    // Which one was taken is in the status: another one may have become the default meanwhile.
    const Resolved resolved = resolve_location(
        pass, ns, move->status.location ? move->status.location : move->spec.location);
    if (!resolved.location) return Outcome::done();
    const LocationSeen& location = *resolved.location;
    bool name_taken = false;
    std::string name = fmt::format("{}-{}", location.name, ns);
    for (const kube::Cached& each : pass.list(repositories(), location.ns)) {
      const Result<Repository> known = model::decode_object<Repository>(*each.shared_value());
      if (!known) continue;
      const std::string holds = known->spec.ns.empty() ? location.ns : known->spec.ns;
      if (known->spec.location.name == location.name && holds == ns) return Outcome::done();
      name_taken = name_taken || each.name() == name;
    }
    if (name_taken || name.size() > kLongestName)
      name = control::child_name(name, location.uid, ns);
    return Outcome::act(control::with_note(
        control::create(repositories(), repository_for(location, ns, name)),
        {false, "RepositoryMade", fmt::format("Repository {}/{}", location.ns, name), "Enrol"}));
  }
};

}  // namespace

control::ControllerSpec enrolment_controller() {
  control::ControllerSpec spec;
  spec.name = "repository-enrolment-controller";
  // Beside the controller of moves, which has another one.
  spec.refused_condition = "RepositoryRefused";
  // What a move leaves behind is not told by its progress.
  spec.watch(kube::resource_of<DataMove>()).when = beyond_progress;
  for (const kube::Resource& resource : {kube::resource_of<BackupLocation>(), repositories()})
    spec.watch(resource).map = control::nobody;
  spec.make = [] { return std::make_unique<Enrolling>(); };
  spec.rights = {{"holdfast.dev", {"repositories"}, {"create"}},
                 {"holdfast.dev", {"datamoves/status"}, {"patch"}}};
  return spec;
}

}  // namespace holdfast::protect
