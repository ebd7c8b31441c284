#include "pods/worker.h"

#include <holdfast/base/files.h>
#include <holdfast/base/log.h>
#include <holdfast/model/time.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace holdfast::node {
namespace {

using namespace std::chrono_literals;

constexpr auto kVolumeRefresh = 20s, kStatusRetry = 2s;

Pod left_over(const Sandbox& sandbox) {
  Pod pod;
  pod.ns = sandbox.ns;
  pod.name = sandbox.name;
  pod.uid = sandbox.uid;
  pod.object = std::make_shared<const model::Value>(model::Object());
  return pod;
}

/// Conditions are merged member by member: what one no longer has must be taken away.
model::Value as_patch(model::Value status) {
  model::Value* conditions = model::find(status, {"conditions"});
  if (conditions == nullptr || !conditions->is_array()) return status;
  for (model::Value& each : conditions->get_array())
    for (const char* member : {"reason", "message"})
      if (!each.get_object().contains(member)) each.get_object()[member] = nullptr;
  return status;
}

}  // namespace

PodWorker::PodWorker(Surroundings& around, const kube::Cached& pod)
    : around_(around),
      uid_(pod.uid()),
      cached_(pod),
      folder_(around.folder_of(uid_)),
      shim_(folder_),
      machine_(read_pod(pod.shared_value()), around.clock.mono()),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  log_folder_ = around.log_folder_of(machine_.pod());
  facts_.folder = folder_;
  facts_.log_folder = log_folder_;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

PodWorker::PodWorker(Surroundings& around, const Sandbox& left)
    : around_(around),
      uid_(left.uid),
      folder_(around.folder_of(uid_)),
      shim_(folder_),
      machine_(left_over(left), around.clock.mono()),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      with_server_(false) {
  log_folder_ = around.log_folder_of(machine_.pod());
  facts_.folder = folder_;
  facts_.log_folder = log_folder_;
  machine_.removed(around.clock.mono());
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

PodWorker::~PodWorker() {
  thread_.request_stop();
  post([](MonoTime) {});
  thread_.join();
  probers_.clear();
  // They post to what is about to go.
  for (std::jthread& hook : hooks_) hook.request_stop();
  hooks_.clear();
}

void PodWorker::post(std::function<void(MonoTime)> act) {
  {
    const Lock lock(mutex_);
    mail_.push_back({std::move(act)});
  }
  const uint64_t one = 1;
  static_cast<void>(!::write(wake_.get(), &one, sizeof one));
}

void PodWorker::update(const kube::Cached& pod) {
  post([this, pod](MonoTime) {
    cached_ = pod;
    machine_.update(read_pod(pod.shared_value()));
  });
}

void PodWorker::removed() {
  post([this](MonoTime now) {
    with_server_ = false;
    machine_.removed(now);
    if (machine_.is_finished()) clean_up();
  });
}

void PodWorker::refresh_hosts() {
  post([this](MonoTime) {
    if (facts_.ip.empty()) return;
    const std::string text =
        hosts_text(machine_.pod(), facts_.ip, around_.names(machine_.pod().ns));
    // In place: containers have the file itself mounted.
    const Fd fd(::open((folder_ / "hosts").c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd || pwrite(fd.get(), text.data(), text.size(), 0) != ssize_t(text.size())) return;
    static_cast<void>(!ftruncate(fd.get(), off_t(text.size())));
  });
}

void PodWorker::leave() {
  post([this](MonoTime now) { machine_.leave(machine_.pod().grace, now); });
}

void PodWorker::run(const std::stop_token& stop) {
  take_up();
  while (!stop.stop_requested() && !gone_) {
    read_mail();
    if (shim_watch_) hear_shim();
    const MonoTime now = around_.clock.mono();
    while (const std::optional<Action> action = machine_.next(around_.clock.mono()))
      perform(*action);
    mind_probes();
    tell_back_off();
    share();
    if (with_server_ && !gone_ && now >= publish_at_) publish();
    if (machine_.is_finished() && machine_.pod().deleted) clean_up();
    if (gone_) break;
    if (now >= refresh_at_) refresh_volumes();
    std::optional<MonoTime> until = machine_.wake(around_.clock.mono());
    for (const MonoTime other : {refresh_at_, publish_at_})
      if (other > now && (!until || other < *until)) until = other;
    wait(until);
  }
}

/// What an earlier node left of this pod: running processes, or records of how they ended.
void PodWorker::take_up() {
  const Result<Sandbox> sandbox = read_sandbox(folder_ / "pod.json");
  const MonoTime now = around_.clock.mono();
  if (sandbox) {
    around_.addresses.keep(sandbox->ip);
    facts_.ip = sandbox->ip;
  }
  take_up_users(sandbox ? sandbox->users : 0);
  const model::Value& object = *machine_.pod().object;
  start_time_ = model::string_at(object, {"status", "startTime"});
  if (const std::optional<WallTime> began = model::parse_rfc3339(start_time_))
    machine_.started_before(
        std::chrono::duration_cast<std::chrono::seconds>(around_.clock.now() - *began), now);
  if (!sandbox) return;
  const bool alive = shim_.alive();
  std::vector<ContainerRecord> records;
  std::error_code none;
  for (std::filesystem::directory_iterator at(folder_ / "containers", none), end;
       !none && at != end; at.increment(none))
    if (Result<ContainerRecord> record = read_container_record(at->path() / "state.json"))
      records.push_back(record.take());
  machine_.adopt(records, alive, now);
  if (machine_.pod().terminal()) machine_.finished();
  if (!alive && machine_.is_finished()) forget_secrets();
  if (!alive) return;
  if (Result<Fd> watch = shim_.watch()) shim_watch_ = watch.take();
  if (Result<VolumePaths> paths = make_volumes(machine_.pod(), volume_folders(), sources(),
                                               around_.clock.now(), Ownership::Keep))
    facts_.volumes = paths.take();
  read_records();
}

/// The range of ids that the pod had; another if a pod of another node has that one by now.
void PodWorker::take_up_users(int64_t first) {
  if (first == 0) return;
  const Result<void> kept = around_.ranges.keep(uint32_t(first), shim_.alive());
  if (kept)
    facts_.users = first;
  else
    log::warn(fmt::format("pod {}: {}", machine_.pod().text(), kept.error().what()));
}

void PodWorker::read_mail() {
  uint64_t ignored = 0;
  static_cast<void>(!::read(wake_.get(), &ignored, sizeof ignored));
  for (;;) {
    Mail next;
    {
      const Lock lock(mutex_);
      if (mail_.empty()) return;
      next = std::move(mail_.front());
      mail_.pop_front();
    }
    next.act(around_.clock.mono());
  }
}

void PodWorker::wait(std::optional<MonoTime> until) {
  pollfd polls[2] = {{wake_.get(), POLLIN, 0}, {shim_watch_.get(), POLLIN, 0}};
  int limit = -1;
  if (until)
    limit = int(std::chrono::ceil<std::chrono::milliseconds>(
                    std::max(MonoTime(0), *until - around_.clock.mono()))
                    .count());
  poll(polls, shim_watch_ ? 2 : 1, limit);
}

void PodWorker::hear_shim() {
  bool heard = false;
  for (;;) {
    const Result<Packet> packet = receive_packet(shim_watch_.get(), 0);
    if (packet) {
      heard = true;
      continue;
    }
    if (packet.error().fault() == Fault::Unavailable) break;
    shim_watch_.reset();  // the shim is gone, and with it every process of the pod
    read_records();
    std::vector<ContainerRecord> lost;
    for (const ContainerDef& def : machine_.pod().containers)
      if (machine_.of(def.name).running()) lost.push_back(*machine_.of(def.name).record);
    machine_.adopt(lost, false, around_.clock.mono());
    machine_.not_prepared("", "", around_.clock.mono());
    return;
  }
  if (heard) read_records();
}

void PodWorker::read_records() {
  Result<std::vector<ContainerRecord>> records = shim_.list();
  if (!records) return;
  for (const ContainerRecord& record : *records) {
    const ContainerDef* def = machine_.pod().find(record.name);
    const bool was_running = def != nullptr && machine_.of(record.name).running();
    machine_.on_record(record, around_.clock.mono());
    if (def != nullptr && was_running && record.exited()) read_termination_message(*def);
  }
}

void PodWorker::share() {
  const Lock lock(mutex_);
  bool alive = false;
  for (const ContainerDef& def : machine_.pod().containers) {
    const ContainerState& state = machine_.of(def.name);
    runs_[def.name] = {state.record, state.previous,
                       waiting_reason(machine_, def, around_.clock.mono())};
    alive = alive || state.running() || state.starting;
  }
  ip_ = facts_.ip;
  idle_ = !alive && (machine_.is_finished() || machine_.is_stopping());
}

Result<ContainerRecord> PodWorker::run_of(const std::string& container, bool previous) const {
  const Lock lock(mutex_);
  const auto found = runs_.find(container);
  if (found == runs_.end())
    return Error(Fault::NotFound, fmt::format("container \"{}\" in pod \"{}\" is not found",
                                              container, cached_.name()));
  const Runs& runs = found->second;
  const std::optional<ContainerRecord>& run = previous ? runs.previous : runs.current;
  if (run) return *run;
  if (previous)
    return Error(Fault::Invalid,
                 fmt::format("previous terminated container \"{}\" in pod \"{}\" not found",
                             container, cached_.name()));
  std::string_view why = runs.waiting;
  if (why == "ErrImagePull") why = "image can't be pulled";
  if (why == "ImagePullBackOff") why = "trying and failing to pull image";
  return Error(Fault::Invalid, fmt::format("container \"{}\" in pod \"{}\" is waiting to start: {}",
                                           container, cached_.name(), why));
}

Result<std::string> PodWorker::address() const {
  const Lock lock(mutex_);
  return ip_;
}

void PodWorker::tell(bool warning, std::string reason, std::string message) {
  if (cached_) around_.tell(cached_, {warning, std::move(reason), std::move(message), "Run"});
}

void PodWorker::tell_of(const ContainerDef& def, bool warning, std::string reason,
                        std::string message) {
  if (!cached_) return;
  around_.tell(cached_, {warning, std::move(reason), std::move(message), "Run",
                         fmt::format("spec.{}{{{}}}", def.init ? "initContainers" : "containers",
                                     def.name)});
}

void PodWorker::publish() {
  if (start_time_.empty()) start_time_ = model::to_rfc3339(around_.clock.now());
  StatusFacts facts{around_.host_ip,      facts_.ip,  start_time_, around_.clock.now(),
                    around_.clock.mono(), &published_};
  if (published_.is_null())
    if (const model::Value* status = model::find(*machine_.pod().object, {"status"}))
      published_ = *status;
  model::Value status = pod_status(machine_, facts);
  if (model::equal(status, published_)) {
    publish_at_ = MonoTime(0);
    return;
  }
  const model::Value patch =
      model::Object{{"metadata", model::Object{{"uid", uid_}}}, {"status", as_patch(status)}};
  const kube::Reply<model::Value> sent =
      around_.client.patch(kube::kPods, machine_.pod().ns, machine_.pod().name,
                           kube::PatchType::Strategic, patch, {.subresource = "status"});
  publish_at_ = MonoTime(0);
  if (sent) {
    published_ = std::move(status);
  } else if (sent.error().not_found() || sent.error().code == 409 || sent.error().code == 422) {
    log::debug(
        fmt::format("status of pod {}: {}", machine_.pod().text(), sent.error().error.what()));
    publish_at_ = around_.clock.mono() + kStatusRetry;
  } else {
    log::warn(
        fmt::format("status of pod {}: {}", machine_.pod().text(), sent.error().error.what()));
    publish_at_ = around_.clock.mono() + kStatusRetry;
  }
}

void PodWorker::refresh_volumes() {
  refresh_at_ = around_.clock.mono() + kVolumeRefresh;
  if (!machine_.is_prepared() || machine_.is_stopping() || machine_.is_finished() ||
      !has_changing_volumes(machine_.pod()))
    return;
  const Result<VolumePaths> paths = make_volumes(machine_.pod(), volume_folders(), sources(),
                                                 around_.clock.now(), Ownership::Keep);
  if (!paths) log::debug(paths.error().what());
}

}  // namespace holdfast::node
