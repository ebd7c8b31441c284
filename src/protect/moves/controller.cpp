// The controller of DataMoves: looks, lets plan_move decide, and does one thing.
#include <holdfast/kube/typed.h>
#include <holdfast/model/time.h>

#include "locations/resolve.h"
#include "moves/mover_pod.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using control::Outcome;
using model::Object;
using model::string_at;
using model::Value;

class Moving final : public control::Reconciler {
 public:
  explicit Moving(MoverSettings settings) : settings_(std::move(settings)) {}

  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Resource& moves = kube::resource_of<DataMove>();
    const kube::Cached object = pass.get(moves, pass.key().ns, pass.key().name);
    if (!object) return Outcome::done();
    MoveSeen seen;
    Result<DataMove> move = model::decode_object<DataMove>(object.value());
    if (!move) return Outcome::stop("Undecodable", move.error().what());
    seen.move = move.take();
    seen.ns = object.ns();
    seen.name = object.name();
    seen.uid = object.uid();
    seen.deleting = object.being_deleted();
    seen.generation = object.meta().generation;
    seen.now = pass.now();
    look_at_location(pass, seen);
    const std::vector<std::string>& allowed = settings_.file_namespaces;
    seen.file_allowed = std::any_of(allowed.begin(), allowed.end(), [&seen](const std::string& ns) {
      return ns == "*" || ns == seen.ns;
    });
    look_at_movers(pass, seen);
    const std::optional<std::pair<kube::Resource, Value>> missing = missing_account(pass, seen.ns);
    seen.account_ready = !missing;
    return act(object, seen, missing);
  }

 private:
  static void look_at_location(control::Pass& pass, MoveSeen& seen) {
    Resolved resolved = resolve_location(pass, seen.ns, seen.move.spec.location);
    seen.location = std::move(resolved.location);
    seen.location_error = std::move(resolved.error);
  }

  static void look_at_movers(control::Pass& pass, MoveSeen& seen) {
    for (const kube::Cached& cached : pass.controlled_by(kube::kPods, seen.uid)) {
      const Value pod = cached.value();
      MoverSeen mover;
      mover.name = cached.name();
      mover.attempt =
          std::atoll(std::string(string_at(pod, {"metadata", "labels", kAttemptLabel})).c_str());
      mover.phase = string_at(pod, {"status", "phase"});
      mover.deleting = cached.being_deleted();
      mover.created = model::parse_rfc3339(string_at(pod, {"metadata", "creationTimestamp"}));
      for (const Value& status : model::array_at(pod, {"status", "containerStatuses"})) {
        mover.message = string_at(status, {"state", "terminated", "message"});
        mover.waiting = string_at(status, {"state", "waiting", "reason"});
        if (const std::string_view why = string_at(status, {"state", "waiting", "message"});
            !why.empty())
          mover.waiting += fmt::format(": {}", why);
        mover.ended =
            model::parse_rfc3339(string_at(status, {"state", "terminated", "finishedAt"}));
      }
      seen.movers.push_back(std::move(mover));
    }
  }

  static std::optional<std::pair<kube::Resource, Value>> missing_account(control::Pass& pass,
                                                                         const std::string& ns) {
    for (const auto& [resource, object] : account_of(ns))
      if (!pass.get(resource, ns, kMoverAccount)) return std::pair(resource, object);
    return std::nullopt;
  }

  Result<Outcome> act(const kube::Cached& object, const MoveSeen& seen,
                      const std::optional<std::pair<kube::Resource, Value>>& missing) {
    const kube::Resource& moves = kube::resource_of<DataMove>();
    const MoveStep step = plan_move(seen);
    switch (step.kind) {
      case MoveStep::Kind::None:
        return Outcome::done();
      case MoveStep::Kind::Wait:
        return Outcome::wait(step.again, "Waiting");
      case MoveStep::Kind::Report: {
        return Outcome::act(control::patch(moves, object,
                                           Object{{"status", changed_status(seen, step.status)}},
                                           control::Decides::No, "status"));
      }
      case MoveStep::Kind::Account:
        return Outcome::act(control::create(missing->first, missing->second));
      case MoveStep::Kind::StartMover: {
        Value pod =
            mover_pod(seen, step.attempt, settings_, control::controller_reference(moves, object));
        return Outcome::act(control::with_note(
            control::create(kube::kPods, std::move(pod)),
            {false, "MoverStarted", fmt::format("attempt {}", step.attempt), "Move"}));
      }
      case MoveStep::Kind::StopMover:
        for (const MoverSeen& mover : seen.movers)
          if (mover.name == step.mover) return Outcome::act(remove_pod(seen, mover));
        return Outcome::done();
    }
    return Outcome::done();
  }

  /// As a merge patch: what is no longer there is null.
  static Value changed_status(const MoveSeen& seen, const DataMove::Status& status) {
    DataMove reported = seen.move;
    const Value before = model::encode_object(reported);
    reported.status = status;
    const Value after = model::encode_object(reported);
    Object patch = model::object_at(after, {"status"});
    for (const auto& old : model::object_at(before, {"status"}))
      if (!patch.contains(old.key())) patch[old.key()] = nullptr;
    return Value(std::move(patch));
  }

  static control::Write remove_pod(const MoveSeen& seen, const MoverSeen& mover) {
    control::Write write{.verb = control::Write::Verb::Delete,
                         .resource = kube::kPods,
                         .key = {seen.ns, mover.name}};
    write.propagation = "Background";
    return write;
  }

  const MoverSettings settings_;
};

/// All moves: a location has changed.
control::Lookup all_moves() {
  return [](const kube::Change&, kube::Informers& informers) {
    control::Keys keys;
    if (const kube::Informer* moves = informers.covering(kube::resource_of<DataMove>(), ""))
      for (const kube::Cached& move : moves->list()) keys.push_back(kube::key_of(move));
    return keys;
  };
}

}  // namespace

std::vector<control::ControllerSpec> controllers(const MoverSettings& settings) {
  control::ControllerSpec spec;
  spec.name = "datamove-controller";
  const auto watch = [&spec](const kube::Resource& resource) -> control::Watch& {
    control::Watch added;
    added.scope.resource = resource;
    return spec.watches.emplace_back(std::move(added));
  };
  watch(kube::resource_of<DataMove>());
  watch(kube::kPods).map = control::controlling_owner(kube::resource_of<DataMove>());
  control::Watch& locations = watch(kube::resource_of<BackupLocation>());
  locations.lookup = all_moves();
  // Its status is written every minute.
  locations.when = control::generation_changed();
  for (const kube::Resource& resource : {kube::kServiceAccounts, kRoles, kRoleBindings})
    watch(resource).map = [](const kube::Change&) { return control::Keys(); };
  spec.make = [settings] { return std::make_unique<Moving>(settings); };
  spec.rights = {{"holdfast.dev", {"datamoves/status"}, {"patch"}},
                 {"", {"pods", "serviceaccounts"}, {"create", "delete"}},
                 {"rbac.authorization.k8s.io", {"roles", "rolebindings"}, {"create"}}};
  spec.workers = 2;
  return {spec};
}

}  // namespace holdfast::protect
