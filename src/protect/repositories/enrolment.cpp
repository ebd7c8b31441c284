// Enrolment of Repositories: each DataMove that has put something into a location has one there.
#include <holdfast/kube/typed.h>
#include <holdfast/protect/locations.h>
#include <holdfast/protect/repository.h>
#include <holdfast/protect/use_move.h>

#include "locations/known_repository.h"
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

const kube::Resource& repositories() { return kube::resource_of<Repository>(); }

/// The repository is there: the mover that made it is done, or held a lock in it.
bool has_left_something(const DataMove& move) {
  // A move that follows has snapshots long before it is over, if ever.
  if (move.status.phase == DataMove::Phase::Completed || !move.status.snapshot_id.empty())
    return true;
  return !move.status.repository_id.empty() ||
         (is_over(move.status) && !move.status.lock_id.empty());
}

/// What is fixed by location and repository alone.
std::string identity_of(const LocationSeen& location, const std::string& holds) {
  return fmt::format("{}/{}", location.uid, holds);
}

Value repository_for(const LocationSeen& location, const std::string& holds, std::string name) {
  Repository made;
  made.spec.location.name = location.name;
  made.spec.ns = holds;
  made.spec.maintenance = default_maintenance(identity_of(location, holds));
  Value out = model::encode_object(made);
  out.as_object()["metadata"] = Object{
      {"name", std::move(name)},
      {"namespace", location.ns},
      {"labels", Object{{"app.kubernetes.io/managed-by", "holdfast"},
                        {kRepositoryOf, control::short_hash(identity_of(location, holds))}}}};
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
    const std::string holds = repository_of(*move, ns);
    // Which one was taken is in the status: another one may have become the default meanwhile.
    const Resolved resolved = resolve_location(
        pass, ns, move->status.location ? move->status.location : move->spec.location,
        data_namespace(holds));
    if (!resolved.location) return Outcome::done();
    const LocationSeen& location = *resolved.location;
    for (const kube::Cached& each :
         pass.find(repositories(), kByPlace, fmt::format("{}/{}", location.name, holds)))
      if (each.ns() == location.ns) return Outcome::done();
    std::string name = fmt::format("{}-{}", location.name, holds);
    if (name.size() > kLongestName || pass.get(repositories(), location.ns, name))
      name = control::child_name(name, location.uid, holds);
    return Outcome::act(control::with_note(
        control::create(repositories(), repository_for(location, holds, name)),
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
  spec.watch(kube::resource_of<BackupLocation>()).map = control::nobody;
  control::Watch& known = spec.watch(repositories());
  known.map = control::nobody;
  known.indexes.emplace_back(kByPlace, by_place());
  spec.make = [] { return std::make_unique<Enrolling>(); };
  spec.rights = {{"holdfast.dev", {"repositories"}, {"create"}},
                 {"holdfast.dev", {"datamoves/status"}, {"patch"}}};
  return spec;
}

}  // namespace holdfast::protect
