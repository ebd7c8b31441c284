#include "world/kubelet.h"

#include <holdfast/base/text.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

namespace holdfast::sim {
namespace {

using model::Array;
using model::Object;
using model::Value;
constexpr MonoTime kSecond = std::chrono::seconds(1);
constexpr std::string_view kExit = "sim.holdfast.dev/exit";
constexpr std::string_view kVolumes = "sim.holdfast.dev/volumes";
constexpr std::string_view kUpkeepLabel = "holdfast.dev/upkeep";

std::string pod_path(const kube::Key& key, std::string_view subresource = "") {
  return kube::kPods.path(key.ns, key.name, subresource);
}

Value condition(std::string_view type, bool holds, const std::string& now) {
  return Object{{"type", type}, {"status", holds ? "True" : "False"}, {"lastTransitionTime", now}};
}

Array conditions(bool ready, const std::string& now) {
  return {condition("PodScheduled", true, now), condition("Initialized", true, now),
          condition("ContainersReady", ready, now), condition("Ready", ready, now)};
}

/// What upkeep of a repository says at its end.
std::string upkeep_report(std::string_view kind, bool succeeded) {
  Object report{{"kind", kind}, {"size", 1}, {"snapshots", 1}, {"again", !succeeded}};
  if (!succeeded) report["reason"] = "Unreachable";
  return model::to_json(report);
}

bool ready(const Value& pod) {
  for (const Value& each : model::array_at(pod, {"status", "conditions"}))
    if (model::string_at(each, {"type"}) == "Ready")
      return model::string_at(each, {"status"}) == "True";
  return false;
}

bool terminal(const Value& pod) {
  const std::string_view phase = model::string_at(pod, {"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

}  // namespace

Kubelet::Kubelet(Server& server, History& history, const ManualClock& clock, Random& random,
                 Storage& storage, const Parts& parts, PodWork& work)
    : server_(server),
      history_(history),
      clock_(clock),
      random_(random),
      storage_(storage),
      parts_(parts),
      work_(work),
      caller_(administrator("kubelet")) {}

std::optional<MonoTime> Kubelet::due() {
  look();
  if (queue_.empty()) return std::nullopt;
  return queue_.begin()->first;
}

void Kubelet::look() {
  for (; seen_ < history_.commits().size(); ++seen_) consider(history_.commits()[seen_]);
}

// What a pod needs next follows from what it is, so nothing is remembered that a commit does not
// say again.
void Kubelet::consider(const Commit& commit) {
  const std::string_view plural = history_.resources()[commit.resource].plural;
  if (plural == "persistentvolumeclaims") {
    if (commit.kind == Commit::Kind::Created)
      plan(commit.uid, Work::BindClaim, commit.key, kSecond);
    return;
  }
  if (plural != "pods") return;
  if (commit.kind == Commit::Kind::Deleted || terminal(*commit.object)) work_.kill(commit.uid);
  if (commit.kind == Commit::Kind::Deleted) return forget(commit.uid);
  const Value& pod = *commit.object;
  const std::string_view node = model::string_at(pod, {"spec", "nodeName"});
  if (!node.empty() && lost(node)) return plan(commit.uid, Work::Evict, commit.key, 20 * kSecond);
  if (!model::string_at(pod, {"metadata", "deletionTimestamp"}).empty())
    return plan(commit.uid, Work::Finish, commit.key, 2 * kSecond);
  if (terminal(pod)) return forget(commit.uid);
  if (node.empty()) return plan(commit.uid, Work::Bind, commit.key, kSecond);
  if (model::string_at(pod, {"status", "phase"}) != "Running")
    return plan(commit.uid, Work::Start, commit.key, 3 * kSecond);
  if (!exit_codes(pod).empty()) return plan(commit.uid, Work::Exit, commit.key, 5 * kSecond);
  if (!ready(pod) && fate_of(pod)) return plan(commit.uid, Work::Probe, commit.key, 3 * kSecond);
}

void Kubelet::plan(const std::string& uid, Work work, const kube::Key& key, MonoTime within) {
  const auto found = tasks_.find(uid);
  if (found != tasks_.end()) {
    if (found->second.work == work) return;
    forget(uid);
  }
  const MonoTime when =
      clock_.mono() + MonoTime(int64_t(1 + random_.below(uint64_t(within.count()) / 1000)) * 1000);
  tasks_[uid] = {work, when, key};
  queue_.emplace(when, uid);
}

void Kubelet::forget(const std::string& uid) {
  const auto found = tasks_.find(uid);
  if (found == tasks_.end()) return;
  queue_.erase({found->second.when, uid});
  tasks_.erase(found);
}

void Kubelet::step() {
  if (queue_.empty()) return;
  const std::string uid = queue_.begin()->second;
  const Task task = tasks_.at(uid);
  forget(uid);
  carry_out(uid, task);
  history_.catch_up();
}

void Kubelet::carry_out(const std::string& uid, const Task& task) {
  const bool claim = task.work == Work::BindClaim;
  const ObjectPtr object =
      history_.get(claim ? "persistentvolumeclaims" : "pods", task.key.ns, task.key.name);
  if (object == nullptr || model::string_at(*object, {"metadata", "uid"}) != uid) return;
  switch (task.work) {
    case Work::Bind: {
      const Value target = Object{{"apiVersion", "v1"},
                                  {"kind", "Binding"},
                                  {"metadata", Object{{"name", task.key.name}, {"uid", uid}}},
                                  {"target", Object{{"kind", "Node"}, {"name", choose_node()}}}};
      static_cast<void>(server_.ask(caller_, "POST", pod_path(task.key, "binding"), target));
      return;
    }
    case Work::Start:
      return start(*object, task.key);
    case Work::Probe:
      return probe(*object, task.key);
    case Work::Exit:
      return begin_work(object, task.key);
    case Work::Finish:
    case Work::Evict:
      return remove(task.key, uid, 0);
    case Work::BindClaim:
      static_cast<void>(server_.ask(
          caller_, "PATCH", kube::kClaims.path(task.key.ns, task.key.name, "status"),
          Object{{"metadata", Object{{"uid", uid}}}, {"status", Object{{"phase", "Bound"}}}},
          "application/merge-patch+json"));
  }
}

void Kubelet::set_status(const kube::Key& key, const std::string& uid, Value status) {
  // Refused when the name belongs to another pod by now: then there is nothing to report.
  static_cast<void>(
      server_.ask(caller_, "PATCH", pod_path(key, "status"),
                  Object{{"metadata", Object{{"uid", uid}}}, {"status", std::move(status)}},
                  "application/merge-patch+json"));
}

std::string Kubelet::exit_codes(const Value& pod) const {
  if (const auto fate = fate_of(pod)) return fate->works ? "0" : fate->exits.value_or("");
  // The first pod of each Job of upkeep fails.
  if (!model::string_at(pod, {"metadata", "labels", kUpkeepLabel}).empty()) return "1,0";
  return std::string(model::string_at(pod, {"metadata", "annotations", kExit}));
}

std::optional<PodFate> Kubelet::fate_of(const Value& pod) const {
  for (const auto& part : parts_)
    if (auto fate = part->fate(pod)) return fate;
  return std::nullopt;
}

void Kubelet::start(const Value& pod, const kube::Key& key) {
  const auto fate = fate_of(pod);
  if ((fate && fate->volumes) ||
      !model::string_at(pod, {"metadata", "annotations", kVolumes}).empty())
    for (const Value& each : model::array_at(pod, {"spec", "volumes"})) {
      const std::string claim(model::string_at(each, {"persistentVolumeClaim", "claimName"}));
      if (claim.empty() || storage_.provide({key.ns, claim})) continue;
      return plan(std::string(model::string_at(pod, {"metadata", "uid"})), Work::Start, key,
                  3 * kSecond);
    }
  if (fate && fate->init_code != 0) return run_init(pod, key, fate->init_code);
  const bool ready = !fate || fate->ready;
  const std::string now = model::to_rfc3339(clock_.now());
  ++addresses_;
  const std::string address = fmt::format("10.1.{}.{}", addresses_ / 250, 1 + addresses_ % 250);
  Array containers;
  for (const Value& each : model::array_at(pod, {"spec", "containers"}))
    containers.push_back(Object{{"name", model::string_at(each, {"name"})},
                                {"image", model::string_at(each, {"image"})},
                                {"imageID", ""},
                                {"containerID", "sim://container"},
                                {"ready", ready},
                                {"restartCount", 0},
                                {"started", true},
                                {"state", Object{{"running", Object{{"startedAt", now}}}}}});
  set_status(key, std::string(model::string_at(pod, {"metadata", "uid"})),
             Object{{"phase", "Running"},
                    {"podIP", address},
                    {"podIPs", Array{Object{{"ip", address}}}},
                    {"startTime", now},
                    {"conditions", conditions(ready, now)},
                    {"containerStatuses", std::move(containers)}});
}

/// An init container failed: it is run again, and the pod has not started.
void Kubelet::run_init(const Value& pod, const kube::Key& key, int code) {
  int64_t restarts = 0;
  for (const Value& each : model::array_at(pod, {"status", "initContainerStatuses"}))
    restarts = model::int_at(each, {"restartCount"}, 0) + 1;
  Array containers;
  for (const Value& each : model::array_at(pod, {"spec", "initContainers"}))
    containers.push_back(
        Object{{"name", model::string_at(each, {"name"})},
               {"image", model::string_at(each, {"image"})},
               {"imageID", ""},
               {"ready", false},
               {"restartCount", restarts},
               {"state", Object{{"terminated", Object{{"exitCode", code}, {"reason", "Error"}}}}}});
  set_status(key, std::string(model::string_at(pod, {"metadata", "uid"})),
             Object{{"phase", "Pending"}, {"initContainerStatuses", std::move(containers)}});
}

/// A pod that runs and is not ready yet. Nothing is committed while it stays so: it is asked again.
void Kubelet::probe(const Value& pod, const kube::Key& key) {
  const std::string uid(model::string_at(pod, {"metadata", "uid"}));
  const auto fate = fate_of(pod);
  if (!fate || !fate->ready) return plan(uid, Work::Probe, key, 3 * kSecond);
  Array containers;
  for (const Value& each : model::array_at(pod, {"status", "containerStatuses"})) {
    containers.push_back(each);
    containers.back().get_object()["ready"] = true;
  }
  set_status(key, uid,
             Object{{"conditions", conditions(true, model::to_rfc3339(clock_.now()))},
                    {"containerStatuses", std::move(containers)}});
}

void Kubelet::begin_work(const ObjectPtr& pod, const kube::Key& key) {
  const std::string uid(model::string_at(*pod, {"metadata", "uid"}));
  for (const auto& part : parts_) {
    const auto fate = part->fate(*pod);
    if (!fate) continue;
    if (!fate->works) break;
    if (!work_.begun(uid))
      work_.begin(uid, pod, *part, [this, pod, key](const PodExit& exit) {
        end(*pod, key, exit);
        history_.catch_up();
      });
    return;
  }
  end(*pod, key);
}

void Kubelet::end(const Value& pod, const kube::Key& key) {
  const std::string all = exit_codes(pod);
  const auto codes = split(all, ',');
  std::string owner;
  for (const Value& each : model::array_at(pod, {"metadata", "ownerReferences"}))
    owner = model::string_at(each, {"uid"});
  const int attempt = started_[owner]++;
  const std::string_view code = codes[std::min(size_t(attempt), codes.size() - 1)];
  const bool succeeded = trim(code) == "0";
  const std::string_view upkeep = model::string_at(pod, {"metadata", "labels", kUpkeepLabel});
  const auto fate = fate_of(pod);
  std::string message;
  if (fate)
    message = fate->message;
  else if (!upkeep.empty())
    message = upkeep_report(upkeep, succeeded);
  end(pod, key, {succeeded ? 0 : 1, std::move(message)});
}

void Kubelet::end(const Value& pod, const kube::Key& key, const PodExit& exit) {
  const bool succeeded = exit.code == 0;
  const std::string now = model::to_rfc3339(clock_.now());
  Array containers;
  for (const Value& each : model::array_at(pod, {"status", "containerStatuses"})) {
    Value ended = each;
    ended.get_object()["ready"] = false;
    ended.get_object()["state"] =
        Object{{"terminated", Object{{"exitCode", exit.code},
                                     {"reason", succeeded ? "Completed" : "Error"},
                                     {"startedAt", now},
                                     {"finishedAt", now},
                                     {"message", exit.message}}}};
    containers.push_back(std::move(ended));
  }
  set_status(key, std::string(model::string_at(pod, {"metadata", "uid"})),
             Object{{"phase", succeeded ? "Succeeded" : "Failed"},
                    {"conditions", conditions(false, now)},
                    {"containerStatuses", std::move(containers)}});
}

void Kubelet::remove(const kube::Key& key, std::string_view uid, int64_t grace) {
  Object options{
      {"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"preconditions", Object{{"uid", uid}}}};
  if (grace >= 0) options["gracePeriodSeconds"] = grace;
  static_cast<void>(server_.ask(caller_, "DELETE", pod_path(key), Value(std::move(options))));
}

bool Kubelet::lost(std::string_view node) const {
  const auto found = lost_nodes_.find(node);
  return found != lost_nodes_.end() && clock_.mono() < found->second;
}

std::string_view Kubelet::choose_node() {
  const size_t first = random_.below(kNodes.size());
  for (size_t i = 0; i < kNodes.size(); ++i) {
    const std::string_view node = kNodes[(first + i) % kNodes.size()];
    if (!lost(node)) return node;
  }
  return kNodes[first];
}

ObjectPtr Kubelet::choose_pod(uint64_t pick) const {
  std::vector<ObjectPtr> pods;
  for (const auto& [key, pod] : history_.now("pods"))
    if (!terminal(*pod)) pods.push_back(pod);
  return pods.empty() ? nullptr : pods[pick % pods.size()];
}

void Kubelet::lose_pod(uint64_t pick) {
  const ObjectPtr pod = choose_pod(pick);
  if (pod == nullptr) return;
  const model::Meta meta = model::meta_of(*pod);
  set_status({meta.ns, meta.name}, meta.uid,
             Object{{"phase", "Failed"},
                    {"reason", "Evicted"},
                    {"conditions", conditions(false, model::to_rfc3339(clock_.now()))}});
  history_.catch_up();
}

void Kubelet::delete_pod(uint64_t pick) {
  const ObjectPtr pod = choose_pod(pick);
  if (pod == nullptr) return;
  const model::Meta meta = model::meta_of(*pod);
  remove({meta.ns, meta.name}, meta.uid, -1);
  history_.catch_up();
}

void Kubelet::lose_node(uint64_t pick, MonoTime until) {
  const std::string_view node = kNodes[pick % kNodes.size()];
  lost_nodes_[std::string(node)] = until;
  const History::Objects pods = history_.now("pods");
  for (const auto& [key, pod] : pods) {
    if (model::string_at(*pod, {"spec", "nodeName"}) != node || terminal(*pod)) continue;
    const std::string uid(model::string_at(*pod, {"metadata", "uid"}));
    set_status(key, uid,
               Object{{"conditions", conditions(false, model::to_rfc3339(clock_.now()))}});
    forget(uid);
    plan(uid, Work::Evict, key, 20 * kSecond);
  }
  history_.catch_up();
}

}  // namespace holdfast::sim
