#include "mover/status_report.h"

#include <holdfast/base/log.h>
#include <holdfast/kube/config.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/time.h>

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;
using model::Object;
using model::Value;

/// The operator passes on no more.
constexpr auto kEvery = 2000ms;

}  // namespace

StatusReport::StatusReport(const MoveTask& task, const Clock& clock, Random& random,
                           std::function<void(int64_t)> limit, std::function<uint64_t()> activity)
    : ns_(task.mover_ns),
      name_(task.mover),
      pod_(task.pod_name),
      clock_(clock),
      limit_(std::move(limit)),
      activity_(std::move(activity)),
      began_(clock.mono()) {
  Result<kube::Config> config = kube::load_config({});
  Result<std::unique_ptr<net::Client>> transport =
      config ? kube::connect(config.take(), clock)
             : Result<std::unique_ptr<net::Client>>(config.take_error());
  if (!transport) {
    log::warn(fmt::format("progress is not reported: {}", transport.error().what()));
    return;
  }
  transport_ = transport.take();
  client_ = std::make_unique<kube::Client>(
      *transport_, clock, random, kube::sleep_until_stopped(),
      kube::ClientSettings{.user_agent = "holdfast-mover", .field_manager = "holdfast-mover"});
  // What an earlier attempt has told is not this one's.
  const auto begun = send({{"progress", nullptr},
                           {"lockID", nullptr},
                           {"documents", nullptr},
                           {"documentsTruncated", nullptr},
                           {"forgotten", nullptr}});
  if (!begun) log::warn(begun.error().error.what());
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

StatusReport::~StatusReport() {
  if (!client_) return;
  thread_.request_stop();
  thread_.join();
  Moved last;
  {
    const Lock lock(mutex_);
    last = moved_;
  }
  write(last);
}

void StatusReport::set(const Moved& moved) {
  const Lock lock(mutex_);
  moved_ = moved;
}

kube::Reply<Value> StatusReport::send(Object status) {
  status["pod"] = pod_;
  return client_->patch(kube::resource_of<Mover>(), ns_, name_, kube::PatchType::Merge,
                        Value(Object{{"status", std::move(status)}}), {.subresource = "status"});
}

void StatusReport::holds(const std::string& lock_id, const std::string& repository_id) {
  if (!client_) return;
  Object status{{"repositoryID", repository_id}};
  if (!lock_id.empty()) status["lockID"] = lock_id;
  const auto sent = send(std::move(status));
  if (!sent) log::warn(sent.error().error.what());
}

Result<Mover> StatusReport::read() {
  if (!client_)
    return Error(Fault::Unavailable, fmt::format("read Mover {}: there is no API server", name_));
  const kube::Reply<Value> mover = client_->get(kube::resource_of<Mover>(), ns_, name_);
  if (!mover) return mover.error().error.copy().with_context(fmt::format("read Mover {}", name_));
  return model::decode_object<Mover>(*mover);
}

Result<void> StatusReport::tell(Object status) {
  if (!client_)
    return Error(Fault::Unavailable, fmt::format("write Mover {}: there is no API server", name_));
  const kube::Reply<Value> sent = send(std::move(status));
  if (!sent) return sent.error().error.copy().with_context(fmt::format("write Mover {}", name_));
  return {};
}

void StatusReport::run(const std::stop_token& stop) {
  const kube::Sleep pause = kube::sleep_until_stopped();
  while (!stop.stop_requested()) {
    pause(kEvery, stop);
    Moved now;
    {
      const Lock lock(mutex_);
      now = moved_;
    }
    write(now);
  }
}

void StatusReport::write(const Moved& moved) {
  const double seconds = std::chrono::duration<double>(clock_.mono() - began_).count();
  const auto rate = seconds > 0 ? int64_t(double(moved.done) / seconds) : 0;
  Object progress{{"bytesDone", int64_t(moved.done)},
                  {"bytesPerSecond", rate},
                  {"bytesUploaded", int64_t(moved.uploaded)},
                  {"activity", int64_t(moved.activity + activity_())}};
  if (moved.total > 0) progress["totalBytes"] = int64_t(moved.total);
  if (moved.total > moved.done && rate > 0)
    progress["eta"] = model::to_rfc3339(
        clock_.now() + std::chrono::seconds(int64_t(moved.total - moved.done) / rate));
  const auto sent = send({{"progress", std::move(progress)}});
  if (!sent) return log::debug(sent.error().error.what());
  // The answer is the whole object: no second request for what it asks for meanwhile.
  limit_(model::int_at(*sent, {"spec", "limits", "bytesPerSecond"}, 0));
}

}  // namespace holdfast::protect
