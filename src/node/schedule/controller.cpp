// The scheduler as a controller: one pending pod, one write.
#include <holdfast/model/time.h>
#include <holdfast/node/scheduler.h>

#include "schedule/plan.h"

#include <fmt/format.h>

namespace holdfast::node {
namespace {

using control::Outcome;
using model::Object;
using model::string_at;
using model::Value;

constexpr std::chrono::milliseconds kAgain{1000};
constexpr std::string_view kPending = "pending";

bool is_ours(const Value& pod) {
  const std::string_view scheduler = string_at(pod, {"spec", "schedulerName"});
  return string_at(pod, {"spec", "nodeName"}).empty() &&
         (scheduler.empty() || scheduler == "default-scheduler") &&
         model::array_at(pod, {"spec", "schedulingGates"}).empty() &&
         string_at(pod, {"metadata", "deletionTimestamp"}).empty();
}

std::vector<std::string> claim_names(const Value& pod) {
  std::vector<std::string> names;
  for (const Value& volume : model::array_at(pod, {"spec", "volumes"})) {
    const std::string_view name = string_at(volume, {"persistentVolumeClaim", "claimName"});
    if (!name.empty()) names.emplace_back(name);
    if (model::find(volume, {"ephemeral"}) != nullptr)
      names.push_back(
          fmt::format("{}-{}", string_at(pod, {"metadata", "name"}), string_at(volume, {"name"})));
  }
  return names;
}

ClaimSeen look_at_claim(control::Pass& pass, const std::string& name) {
  ClaimSeen seen{.name = name, .selected_node = {}};
  const kube::Cached cached = pass.get(kube::kClaims, pass.key().ns, name);
  if (!cached) return seen;
  const std::shared_ptr<const Value> claim = cached.shared_value();
  seen.there = true;
  seen.deleted = cached.being_deleted();
  const std::string_view volume = string_at(*claim, {"spec", "volumeName"});
  seen.bound = !volume.empty() && string_at(*claim, {"status", "phase"}) == "Bound";
  seen.selected_node =
      string_at(*claim, {"metadata", "annotations", "volume.kubernetes.io/selected-node"});
  if (const kube::Cached made =
          pass.get(kube::kStorageClasses, "", string_at(*claim, {"spec", "storageClassName"})))
    seen.waits_for_consumer =
        string_at(*made.shared_value(), {"volumeBindingMode"}) == "WaitForFirstConsumer";
  if (const kube::Cached bound = seen.bound ? pass.get(kube::kVolumes, "", volume) : kube::Cached())
    if (const Value* affinity = model::find(*bound.shared_value(), {"spec", "nodeAffinity"}))
      seen.volume_affinity = *affinity;
  return seen;
}

std::map<std::string, Amounts> taken(control::Pass& pass) {
  std::map<std::string, Amounts> out;
  for (const kube::Cached& each : pass.list(kube::kPods, "")) {
    const std::shared_ptr<const Value> pod = each.shared_value();
    const std::string_view phase = string_at(*pod, {"status", "phase"}),
                           node = string_at(*pod, {"spec", "nodeName"});
    if (node.empty() || phase == "Succeeded" || phase == "Failed") continue;
    const Amounts asked = requests_of(*pod);
    Amounts& all = out[std::string(node)];
    all.cpu_millis += asked.cpu_millis;
    all.memory += asked.memory;
  }
  return out;
}

control::Write bind(const kube::Cached& pod, const std::string& node) {
  const Value binding = Object{
      {"apiVersion", "v1"},
      {"kind", "Binding"},
      {"metadata", Object{{"name", pod.name()}, {"namespace", pod.ns()}, {"uid", pod.uid()}}},
      {"target", Object{{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}}};
  control::Write write = control::create(kube::kPods, binding);
  write.subresource = "binding";
  return control::with_note(
      std::move(write),
      {false, "Scheduled",
       fmt::format("Successfully assigned {}/{} to {}", pod.ns(), pod.name(), node), "Binding"});
}

/// The condition that says why; nothing if it says so already.
std::optional<control::Write> report(const kube::Cached& pod, const Value& object,
                                     const std::string& message, WallTime now) {
  for (const Value& each : model::array_at(object, {"status", "conditions"}))
    if (string_at(each, {"type"}) == "PodScheduled" && string_at(each, {"message"}) == message)
      return std::nullopt;
  const Value condition =
      Object{{"type", "PodScheduled"},    {"status", "False"},
             {"reason", "Unschedulable"}, {"message", message},
             {"lastProbeTime", nullptr},  {"lastTransitionTime", model::to_rfc3339(now)}};
  control::Write write = control::patch(
      kube::kPods, pod, Object{{"status", Object{{"conditions", model::Array{condition}}}}},
      control::Decides::Yes, "status");
  write.patch_type = kube::PatchType::Strategic;
  return control::with_note(std::move(write), {true, "FailedScheduling", message, "Scheduling"});
}

class Scheduling final : public control::Reconciler {
 public:
  Result<Outcome> reconcile(control::Pass& pass) override {
    const kube::Cached pod = pass.get(kube::kPods, pass.key().ns, pass.key().name);
    if (!pod) return Outcome::done();
    SchedulingSeen seen{.pod = pod.value(), .nodes = {}, .claims = {}};
    if (!is_ours(seen.pod)) return Outcome::done();
    for (const kube::Cached& node : pass.list(kube::kNodes, "")) seen.nodes.push_back(node.value());
    seen.taken = taken(pass);
    for (const std::string& name : claim_names(seen.pod))
      seen.claims.push_back(look_at_claim(pass, name));
    const Placement placement = place(seen);
    switch (placement.kind) {
      case Placement::Kind::Bind:
        return Outcome::act(bind(pod, placement.node));
      case Placement::Kind::SelectNode:
        return Outcome::act(select(pass, placement));
      case Placement::Kind::Wait:
        return Outcome::wait(kAgain, "WaitingForVolume", placement.message);
      case Placement::Kind::Unschedulable:
        break;
    }
    if (std::optional<control::Write> write = report(pod, seen.pod, placement.message, pass.now()))
      return Outcome::act(*std::move(write));
    return Outcome::wait(kAgain, "Unschedulable", placement.message);
  }

 private:
  static control::Write select(control::Pass& pass, const Placement& placement) {
    const kube::Cached claim = pass.get(kube::kClaims, pass.key().ns, placement.claim);
    return control::patch(
        kube::kClaims, claim,
        Object{{"metadata", Object{{"annotations", Object{{"volume.kubernetes.io/selected-node",
                                                           placement.node}}}}}},
        control::Decides::Yes);
  }
};

/// Every pod that waits: something it may wait for has changed.
control::Lookup all_pending() {
  return [](const kube::Change&, kube::Informers& informers) {
    control::Keys keys;
    if (const kube::Informer* pods = informers.covering(kube::kPods, ""))
      for (const kube::Cached& pod : pods->find(kPending, "yes")) keys.push_back(kube::key_of(pod));
    return keys;
  };
}

void index_pending(const kube::Cached& object, std::vector<std::string>& values) {
  if (is_ours(*object.shared_value())) values.emplace_back("yes");
}

}  // namespace

control::ControllerSpec scheduler() {
  control::ControllerSpec spec;
  spec.name = "default-scheduler";
  spec.watch(kube::kPods).indexes = {{std::string(kPending), index_pending}};
  for (const kube::Resource& resource :
       {kube::kNodes, kube::kClaims, kube::kVolumes, kube::kStorageClasses})
    spec.watch(resource).lookup = all_pending();
  spec.make = [] { return std::make_unique<Scheduling>(); };
  spec.rights = {{"", {"pods/binding"}, {"create"}},
                 {"", {"pods/status", "persistentvolumeclaims"}, {"patch"}}};
  return spec;
}

}  // namespace holdfast::node
