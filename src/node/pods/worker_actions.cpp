// Actions of a pod's worker, as its state machine asks for them.
#include <holdfast/base/files.h>
#include <holdfast/base/log.h>
#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>
#include <holdfast/model/time.h>

#include "machine/listeners.h"
#include "pods/identity.h"
#include "pods/worker.h"

#include <fmt/format.h>
#include <sys/stat.h>

namespace holdfast::node {
namespace {

using namespace std::chrono_literals;

constexpr auto kPrepareRetry = 2s;
constexpr size_t kMostMessage = 4096, kMostFromLog = 2048;
constexpr size_t kMostLogLines = 80;
// Room for so many lines with their times, and a long one that is cut off.
constexpr size_t kMostOfLog = size_t(64) << 10;
constexpr int64_t kPidsOfPod = 4096;

/// The bare lines of a log's end.
std::string log_tail(const std::filesystem::path& file) {
  const Result<std::string> text = read_end(file, kMostOfLog);
  if (!text) return "";
  std::vector<std::string_view> lines = split(*text, '\n');
  std::string out;
  const size_t first = lines.size() > kMostLogLines + 1 ? lines.size() - kMostLogLines - 1 : 0;
  for (size_t i = first; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    for (int word = 0; word < 3 && !line.empty(); ++word) {
      const size_t space = line.find(' ');
      line = space == std::string_view::npos ? "" : line.substr(space + 1);
    }
    if (!lines[i].empty()) out += std::string(line) + "\n";
  }
  return out.size() > kMostFromLog ? out.substr(out.size() - kMostFromLog) : out;
}

}  // namespace

void PodWorker::perform(const Action& action) {
  switch (action.kind) {
    case Action::Kind::Prepare:
      return prepare();
    case Action::Kind::Start:
      return start(action);
    case Action::Kind::PostStart:
    case Action::Kind::PreStop:
      return run_hook(action);
    case Action::Kind::Signal:
      return signal(action);
    case Action::Kind::Finish:
      return finish();
  }
}

void PodWorker::prepare() {
  const MonoTime now = around_.clock.mono();
  if (const Result<void> chosen = choose_users(); !chosen) {
    tell(true, "FailedCreatePodSandBox", "Failed to create pod sandbox: " + chosen.error().what());
    return machine_.not_prepared("ContainerCreating", "", now + kPrepareRetry);
  }
  Result<VolumePaths> paths = make_volumes(machine_.pod(), volume_folders(), sources(),
                                           around_.clock.now(), Ownership::Give);
  if (!paths) {
    tell(true, "FailedMount", paths.error().what());
    return machine_.not_prepared("ContainerCreating", "", now + kPrepareRetry);
  }
  facts_.volumes = paths.take();
  const Result<void> made = make_sandbox();
  if (!made) {
    tell(true, "FailedCreatePodSandBox", "Failed to create pod sandbox: " + made.error().what());
    return machine_.not_prepared("ContainerCreating", "", now + kPrepareRetry);
  }
  machine_.prepared();
}

/// A user namespace of its own, unless it asks for the machine's users, or this machine has none.
Result<void> PodWorker::choose_users() {
  const bool own = around_.user_namespaces && !wants_host_users(machine_.pod()) &&
                   wall_stands("pods have users of their own");
  if (!own) facts_.users = 0;
  if (!own || facts_.users != 0 || shim_.alive()) return {};
  HF_TRY(check_fs_group(machine_.pod(), Ids::OfNamespace));
  facts_.users = HF_TRY(around_.ranges.take());
  return {};
}

Result<void> PodWorker::make_sandbox() {
  const Pod& pod = machine_.pod();
  HF_TRY(make_folder(folder_, 0755));
  if (shim_.alive()) {
    shim_watch_ = HF_TRY(shim_.watch());
    return {};
  }
  const bool host_network = model::bool_at(*pod.object, {"spec", "hostNetwork"}, false);
  if (facts_.ip.empty())
    facts_.ip = host_network ? around_.host_ip : HF_TRY(around_.addresses.take());
  Sandbox sandbox{.uid = pod.uid, .ns = pod.ns, .name = pod.name, .hostname = hostname_of(pod)};
  sandbox.ip = facts_.ip;
  sandbox.users = facts_.users;
  sandbox.share_processes = model::bool_at(*pod.object, {"spec", "shareProcessNamespace"}, false);
  sandbox.host_processes = model::bool_at(*pod.object, {"spec", "hostPID"}, false);
  sandbox.pids_limit = kPidsOfPod;
  if (!around_.cgroup.empty()) sandbox.cgroup = around_.cgroup + "/pod" + pod.uid;
  HF_TRY(write_record(folder_ / "pod.json", sandbox));
  HF_TRY(write_file(folder_ / "hosts", hosts_text(pod, facts_.ip, around_.names(pod.ns)), 0644));
  HF_TRY(write_file(folder_ / "hostname", sandbox.hostname + "\n", 0644));
  const int held = facts_.users == 0 ? -1 : HF_TRY(around_.ranges.lock_of(uint32_t(facts_.users)));
  HF_TRY(shim_.spawn(around_.program, held));
  shim_watch_ = HF_TRY(shim_.watch());
  return {};
}

void PodWorker::start(const Action& action) {
  const ContainerDef& def = *machine_.pod().find(action.container);
  Result<ContainerSpec, Refusal> spec =
      container_spec(machine_.pod(), def, action.attempt, facts_, around_, sources());
  if (!spec) {
    const Refusal refusal = spec.take_error();
    const MonoTime now = around_.clock.mono();
    const bool pull = refusal.reason == "ErrImagePull";
    if (pull && now < machine_.of(def.name).pull_at) {
      const std::string what = fmt::format("Back-off pulling image \"{}\"", def.image);
      tell_of(def, false, "BackOff", what);
      tell_of(def, true, "Failed", "Error: ImagePullBackOff");
      return machine_.pull_later(def.name,
                                 fmt::format("{}: {}: {}", what, refusal.reason, refusal.message));
    }
    tell_refusal(def, refusal);
    return machine_.refused(def.name, refusal.reason, refusal.message, pull, now);
  }
  tell_of(def, false, "Pulled",
          fmt::format("Container image \"{}\" already present on machine", def.image));
  forget_old_runs(def.name, action.attempt);
  Result<void> saved = write_record(folder_ / "containers" / spec->id / "spec.json", *spec);
  Result<ContainerRecord> record =
      saved ? shim_.start(spec->id) : Result<ContainerRecord>(saved.take_error());
  if (!record) {
    tell_of(def, true, "Failed", "Error: " + record.error().what());
    return machine_.refused(def.name, "CreateContainerError", record.error().what(), false,
                            around_.clock.mono());
  }
  machine_.on_record(*record, around_.clock.mono());
  tell_of(def, false, "Created", fmt::format("Created container: {}", def.name));
  if (!record->start_error.empty())
    tell_of(def, true, "Failed",
            fmt::format("Error: unable to start container process: {}", record->start_error));
  else
    tell_of(def, false, "Started", fmt::format("Started container {}", def.name));
  if (record->exited()) read_termination_message(def);
}

void PodWorker::tell_refusal(const ContainerDef& def, const Refusal& refusal) {
  if (!refusal.pull) return tell_of(def, true, "Failed", "Error: " + refusal.message);
  if (refusal.reason == "InvalidImageName")
    tell_of(def, true, "InspectFailed", refusal.message);
  else if (refusal.reason == "ErrImageNeverPull")
    tell_of(def, true, "ErrImageNeverPull", refusal.message);
  else
    tell_of(def, false, "Pulling", fmt::format("Pulling image \"{}\"", def.image));
  if (refusal.reason == "ErrImagePull")
    tell_of(def, true, "Failed",
            fmt::format("Failed to pull image \"{}\": {}", def.image, refusal.message));
  tell_of(def, true, "Failed", "Error: " + refusal.reason);
}

void PodWorker::tell_back_off() {
  for (const ContainerDef& def : machine_.pod().containers) {
    const ContainerState& state = machine_.of(def.name);
    if (!machine_.crash_looping(def.name, around_.clock.mono())) continue;
    const auto [told, first] = back_off_told_.try_emplace(def.name, state.record->attempt);
    if (!first && told->second == state.record->attempt) continue;
    told->second = state.record->attempt;
    tell_of(def, true, "BackOff",
            fmt::format("Back-off restarting failed container {} in pod {}", def.name,
                        machine_.pod().text()));
  }
}

/// Of each container the last two runs are kept, with their logs.
void PodWorker::forget_old_runs(const std::string& container, int64_t attempt) {
  std::error_code ignored;
  const int64_t old = attempt - 2;
  if (old < 0) return;
  std::filesystem::remove_all(folder_ / "containers" / make_container_id(uid_, container, old),
                              ignored);
  const std::string log = log_file_of(log_folder_, container, old).string();
  for (const std::string& file : matching_paths(log + "*")) std::filesystem::remove(file, ignored);
}

void PodWorker::run_hook(const Action& action) {
  const ContainerDef& def = *machine_.pod().find(action.container);
  const ContainerState& state = machine_.of(action.container);
  const ErrandPlace place{folder_, state.record->id, facts_.ip};
  const bool before_stop = action.kind == Action::Kind::PreStop;
  const Errand errand = before_stop ? def.pre_stop : def.post_start;
  if (before_stop) tell_of(def, false, "Killing", action.why);
  const std::chrono::milliseconds limit =
      before_stop ? state.stop_grace : std::chrono::milliseconds(24h);
  hooks_.emplace_back([this, pod = machine_.pod().object, def, errand, place, limit,
                       kind = action.kind](const std::stop_token& stop) {
    const ErrandOutcome outcome = run_errand(def, errand, place, limit, stop);
    post([this, name = def.name, kind, outcome](MonoTime now) {
      if (const ContainerDef* still = machine_.pod().find(name); still != nullptr && !outcome.well)
        tell_of(*still, true,
                kind == Action::Kind::PreStop ? "FailedPreStopHook" : "FailedPostStartHook",
                fmt::format("{} failed{}{}",
                            kind == Action::Kind::PreStop ? "PreStopHook" : "PostStartHook",
                            outcome.output.empty() ? "" : ": ", outcome.output));
      machine_.hook_done(name, kind, outcome.well, now);
    });
  });
}

void PodWorker::signal(const Action& action) {
  const ContainerState& state = machine_.of(action.container);
  const ContainerDef* def = machine_.pod().find(action.container);
  const bool told = def != nullptr && def->pre_stop.kind != Errand::Kind::None &&
                    state.pre_stop != ContainerState::Hook::None;
  if (!action.why.empty() && !told && def != nullptr) tell_of(*def, false, "Killing", action.why);
  if (!state.record) return;
  const Result<void> sent = shim_.signal(state.record->id, action.signal);
  if (!sent) log::debug(sent.error().what());
}

void PodWorker::finish() {
  probers_.clear();
  for (std::jthread& hook : hooks_) hook.request_stop();
  const Result<void> ended = shim_.end();
  if (!ended) log::error(fmt::format("pod {}: {}", machine_.pod().text(), ended.error().what()));
  shim_watch_.reset();
  hooks_.clear();
  machine_.finished();
  if (wall_stands("secrets go with the last container") &&
      wall_stands("secrets go with the server"))
    forget_secrets();
  if (!with_server_) clean_up();
}

/// The last report, then the object, then the folders: after a crash in between the next node does
/// the rest.
void PodWorker::clean_up() {
  if (with_server_ && machine_.pod().deleted) {
    publish();
    kube::DeleteOptions now;
    now.grace_seconds = 0;
    now.only.uid = uid_;
    const kube::Reply<model::Value> removed =
        around_.client.remove(kube::kPods, machine_.pod().ns, machine_.pod().name, now);
    if (!removed && !removed.error().not_found() && removed.error().code != 409) {
      publish_at_ = around_.clock.mono() + kPrepareRetry;
      return;
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(log_folder_, ignored);
  forget_secrets();
  std::filesystem::remove_all(folder_, ignored);
  if (!facts_.ip.empty()) around_.addresses.give_back(facts_.ip);
  if (facts_.users != 0) around_.ranges.give_back(uint32_t(facts_.users));
  gone_ = true;
}

/// Nobody reads them any more, and the pod may stay on the server for long.
void PodWorker::forget_secrets() {
  std::error_code ignored;
  std::filesystem::remove_all(around_.secrets / uid_, ignored);
}

void PodWorker::mind_probes() {
  for (const ContainerDef& def : machine_.pod().containers) {
    const ContainerState& state = machine_.of(def.name);
    const bool any = def.startup || def.liveness || def.readiness;
    if (!state.running() || !any) {
      probers_.erase(def.name);
      continue;
    }
    if (machine_.is_stopping() && probers_.contains(def.name)) probers_[def.name]->only_readiness();
    if (state.post_start != ContainerState::Hook::Done ||
        (probers_.contains(def.name) && probed_[def.name] == state.record->attempt))
      continue;
    probed_[def.name] = state.record->attempt;
    probers_[def.name] = std::make_unique<Prober>(
        machine_.pod().object, def, state.record->attempt,
        ErrandPlace{folder_, state.record->id, facts_.ip}, [this](const ProbeNews& news) {
          post([this, news](MonoTime now) { on_probe(news, now); });
        });
  }
}

void PodWorker::on_probe(const ProbeNews& news, MonoTime now) {
  const ContainerState& state = machine_.of(news.container);
  const ContainerDef* def = machine_.pod().find(news.container);
  if (def == nullptr || !state.running() || state.record->attempt != news.attempt) return;
  static constexpr const char* kWords[] = {"Startup", "Liveness", "Readiness"};
  const char* word = kWords[int(news.kind)];
  if (!news.failure.empty() || !news.healthy)
    if (!news.failure.empty())
      tell_of(*def, true, "Unhealthy", fmt::format("{} probe failed: {}", word, news.failure));
  if (!news.changed) return;
  if (news.kind == ProbeNews::Kind::Readiness)
    return machine_.probed(news.container, state.started, news.healthy);
  if (news.healthy) return machine_.probed(news.container, true, !def->readiness);
  const Probe& probe = news.kind == ProbeNews::Kind::Startup ? *def->startup : *def->liveness;
  machine_.unhealthy(news.container,
                     fmt::format("Container {} failed {} probe, will be restarted", news.container,
                                 to_lower(word)),
                     probe.grace, now);
}

void PodWorker::read_termination_message(const ContainerDef& def) {
  ContainerState& state = machine_.of(def.name);
  // The container made it as long as it liked. As kubelet: its end.
  const size_t most = wall_stands("messages are read with a bound")
                          ? kMostMessage
                          : std::numeric_limits<size_t>::max();
  const Result<std::string> text =
      read_end(folder_ / "containers" / state.record->id / "termination-log", most);
  state.termination_message =
      text ? text->substr(text->size() - std::min(text->size(), kMostMessage)) : "";
  if (state.termination_message.empty() && def.termination_policy == "FallbackToLogsOnError" &&
      state.record->exit_code != 0)
    state.termination_message = log_tail(log_file_of(log_folder_, def.name, state.record->attempt));
  if (state.record->exit_code != 0) look_for_clash(def);
}

/// Pods share one network stack, the machine's. One that could not listen at every address, because
/// another does so, or at a port that is for root of the machine, would not say it in words that
/// lead to the cause.
void PodWorker::look_for_clash(const ContainerDef& def) {
  const std::set<int> taken = wildcard_ports();
  const auto say = [this, &def](const char* reason, std::string words) {
    std::string& message = machine_.of(def.name).termination_message;
    if (message.empty()) message = words;
    tell(true, reason, std::move(words));
  };
  for (const model::Value& each : model::array_at(*def.object, {"ports"})) {
    const auto port = int(model::int_at(each, {"containerPort"}, 0));
    if (taken.contains(port) && model::string_at(each, {"protocol"}) != "UDP")
      say("AddressInUse",
          fmt::format("port {} is taken at all addresses (0.0.0.0) by another process of this "
                      "machine: let each listen at its own, $(POD_IP)",
                      port));
    if (facts_.users != 0 && port > 0 && port < first_port_of_all())
      say("PortOfMachine",
          fmt::format("port {} cannot be listened at in the pod's user namespace: take one from {} "
                      "on, or lower net.ipv4.ip_unprivileged_port_start on this machine",
                      port, first_port_of_all()));
  }
}

}  // namespace holdfast::node
