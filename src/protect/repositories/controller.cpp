// The controller of Repositories: looks, lets plan_repository decide, and does one thing.
#include "repositories/controller.h"

#include <holdfast/control/report.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/use_move.h>

#include "locations/folders.h"
#include "locations/resolve.h"
#include "repositories/upkeep_job.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::protect {
namespace {

using control::Outcome;
using model::string_at;
using model::Value;

const kube::Resource& repositories() { return kube::resource_of<Repository>(); }

/// A mover has found another repository than the known one, or none.
std::optional<WallTime> missed_at(const DataMove& move) {
  const model::Condition* end = control::find_condition(move.status.conditions, "Completed");
  if (end == nullptr || (end->reason != "RepositoryNotFound" && end->reason != "RepositoryChanged"))
    return std::nullopt;
  return model::parse_rfc3339(end->last_transition_time);
}

class Keeping final : public control::Reconciler {
 public:
  explicit Keeping(MoverSettings settings) : settings_(std::move(settings)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached object = control::find_subject<Repository>(pass);
    if (!object) return Outcome::done();
    RepositorySeen seen;
    HF_TRY(control::read_subject(pass, object, seen, seen.repository));
    seen.asked = string_at(*object.shared_value(), {"metadata", "annotations", kRunAnnotation});
    seen.is_given_up = model::find(*object.shared_value(),
                                   {"metadata", "annotations", kAnewAnnotation}) != nullptr;
    look_at_location(pass, seen);
    look_at_moves(pass, seen);
    for (const kube::Cached& job : pass.controlled_by(kube::kJobs, seen.uid)) {
      seen.jobs.push_back(job_seen(job, pass.controlled_by(kube::kPods, job.uid())));
      HF_TRY(look_for_its_pod(pass, seen.jobs.back()));
    }
    return plan_repository(seen, settings_);
  }

 private:
  void look_at_location(control::Pass& pass, RepositorySeen& seen) const {
    Reference wanted = seen.repository.spec.location;
    wanted.ns.clear();
    Resolved resolved = resolve_location(pass, seen.ns, wanted);
    seen.location = std::move(resolved.location);
    seen.no_location = std::move(resolved.refusal);
    seen.file_allowed = may_name_folders(settings_, seen.ns);
    if (!seen.location) return;
    const BackupLocation::Status& known = seen.location->location.status;
    const model::Condition* tried = control::find_condition(known.conditions, "Available");
    seen.location_tried =
        tried != nullptr && tried->observed_generation == seen.location->generation;
    if (seen.location_tried && tried->reason == "SecretNotFound")
      seen.missing_secret = tried->message;
    // What was opened before ids were kept is opened once more, so that its own is.
    seen.access = fmt::format("{} {} id", seen.location->generation, known.secret_versions);
  }

  /// That the controller of Jobs is refused a pod stands in an event of the Job and nowhere else.
  static Result<void> look_for_its_pod(control::Pass& pass, const JobSeen& job) {
    const bool late = job.created && pass.now() - *job.created >= kPodPatience;
    if (job.has_pods || job.finished || job.deleting || !late) return ok();
    const kube::Reply<Value> taken = pass.try_create(kube::kPods, pod_of(job));
    if (taken || taken.error().error.transient()) return ok();
    return Error(Fault::Denied, fmt::format("Job {} can make no pod: {}", job.name,
                                            string_at(taken.error().status, {"message"})));
  }

  /// The namespace of moves that write a repository of that name.
  static std::string writers_of(const std::string& name) { return name.substr(0, name.find('.')); }

  static void look_at_moves(control::Pass& pass, RepositorySeen& seen) {
    if (!seen.location) return;
    const std::string& of = seen.repository.spec.ns.empty() ? seen.ns : seen.repository.spec.ns;
    for (const kube::Cached& each : pass.list(kube::resource_of<DataMove>(), writers_of(of))) {
      const Result<DataMove> move = model::decode_object<DataMove>(*each.shared_value());
      const std::string ns(each.ns());
      if (!move || repository_of(*move, ns) != of || !is_here(*move, ns, seen)) continue;
      take_end(*move, seen);
    }
  }

  /// Of what was begun anew only later moves tell.
  static void take_end(const DataMove& move, RepositorySeen& seen) {
    const auto anew = model::parse_rfc3339(seen.repository.status.anew_since);
    if (const auto missed = missed_at(move); missed && missed > anew && missed > seen.last_missed)
      seen.last_missed = missed;
    if (move.spec.direction != DataMove::Direction::Backup || !move.status.verified) return;
    const auto ended = model::parse_rfc3339(move.status.verified->time);
    if (!ended || ended < anew || ended <= seen.last_backup) return;
    seen.last_backup = ended;
    if (!move.status.repository_id.empty()) seen.moved_id = move.status.repository_id;
  }

  static bool is_here(const DataMove& move, const std::string& ns, const RepositorySeen& seen) {
    const std::optional<Reference>& location =
        move.status.location ? move.status.location : move.spec.location;
    if (!location) return ns == seen.ns && seen.location->location.spec.is_default;
    return location->name == seen.location->name &&
           (location->ns.empty() ? ns : location->ns) == seen.ns;
  }

  const MoverSettings settings_;
};

/// Those of the namespace: a location of it has changed.
control::Lookup all_beside() {
  return [](const kube::Change& change, kube::Informers& informers) {
    control::Keys keys;
    if (const kube::Informer* all = informers.covering(repositories(), ""))
      for (const kube::Cached& each : all->list(change.object().ns()))
        keys.push_back(kube::key_of(each));
    return keys;
  };
}

/// More of a location than the time of its last try: what it is, its Secrets, or whether there are
/// any.
bool beyond_try(const kube::Change& change) {
  if (control::generation_changed()(change)) return true;
  const auto told = [](const kube::Cached& location) {
    const auto object = location.shared_value();
    std::string out(string_at(*object, {"status", "secretVersions"}));
    for (const Value& each : model::array_at(*object, {"status", "conditions"}))
      if (string_at(each, {"type"}) == "Available")
        out += fmt::format(" {} {}", string_at(each, {"reason"}),
                           model::int_at(each, {"observedGeneration"}, 0));
    return out;
  };
  return told(change.before) != told(change.after);
}

/// A snapshot was verified that was not before, or the repository missed.
bool tells_of_repository(const kube::Change& change) {
  if (!change.after) return false;
  if (const auto move = model::decode_object<DataMove>(*change.after.shared_value());
      move && missed_at(*move))
    return true;
  const auto verified = [](const kube::Cached& move) {
    return std::string(string_at(*move.shared_value(), {"status", "verified", "time"}));
  };
  const std::string now = verified(change.after);
  return !now.empty() && (!change.before || verified(change.before) != now);
}

/// Those that the move may have written.
control::Lookup those_of_move() {
  return [](const kube::Change& change, kube::Informers& informers) {
    control::Keys keys;
    const kube::Informer* all = informers.covering(repositories(), "");
    const auto move = model::decode_object<DataMove>(*change.object().shared_value());
    if (all == nullptr || !move) return keys;
    const std::string name = repository_of(*move, std::string(change.object().ns()));
    for (const kube::Cached& each : all->list()) {
      const std::string_view holds = string_at(*each.shared_value(), {"spec", "namespace"});
      if ((holds.empty() ? each.ns() : holds) == name) keys.push_back(kube::key_of(each));
    }
    return keys;
  };
}

}  // namespace

control::ControllerSpec repository_controller(const MoverSettings& settings) {
  control::ControllerSpec spec;
  spec.name = "repository-controller";
  spec.refused_condition = control::kRefused;
  spec.watch(repositories());
  spec.watch(kube::kJobs).map = control::controlling_owner(repositories());
  spec.watch(kube::kPods).map = control::nobody;
  control::Watch& moves = spec.watch(kube::resource_of<DataMove>());
  moves.lookup = those_of_move();
  moves.when = tells_of_repository;
  control::Watch& locations = spec.watch(kube::resource_of<BackupLocation>());
  locations.lookup = all_beside();
  // Its status is written every minute.
  locations.when = beyond_try;
  spec.make = [settings] { return std::make_unique<Keeping>(settings); };
  spec.rights = {{"holdfast.dev", {"repositories", "repositories/status"}, {"patch"}},
                 {"holdfast.dev", {"repositories/finalizers"}, {"update"}},
                 {"batch", {"jobs"}, {"create", "delete"}},
                 {"", {"pods"}, {"create"}}};
  spec.workers = 2;
  return spec;
}

}  // namespace holdfast::protect
