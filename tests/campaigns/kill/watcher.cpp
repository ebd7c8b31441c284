#include "kill/watcher.h"

#include <holdfast/base/clock.h>

#include <fmt/format.h>

namespace holdfast::campaign {

using std::chrono::milliseconds;

void Link::open(std::shared_ptr<net::Client> client) {
  const Lock lock(mutex_);
  client_ = std::move(client);
  ++number_;
  changed_.notify_all();
}

void Link::close() {
  const Lock lock(mutex_);
  client_.reset();
}

Link::Way Link::wait(const std::stop_token& stop) {
  const Lock lock(mutex_);
  while (!client_ && !stop.stop_requested()) changed_.wait_for(mutex_, milliseconds(100));
  return {client_, number_};
}

bool Link::holds(const Way& way) {
  const Lock lock(mutex_);
  return client_ != nullptr && number_ == way.number;
}

Watcher::Watcher(Link& link, Settings settings)
    : link_(link),
      settings_(std::move(settings)),
      random_(settings_.seed),
      newest_(settings_.from),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Watcher::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Link::Way way = link_.wait(stop);
    if (way.client && !stop.stop_requested()) follow(way, stop);
  }
}

std::string Watcher::target() {
  return fmt::format("{}?watch=1&resourceVersion={}{}", settings_.kind.path, newest(),
                     settings_.owner.empty() ? "" : "&labelSelector=owner%3D" + settings_.owner);
}

void Watcher::follow(const Link::Way& way, const std::stop_token& stop) {
  net::Call call;
  call.target = target();
  call.stop = stop;
  partial_.clear();
  bool left = false;
  const Result<net::Response> ended = way.client->stream(call, [&](std::string_view bytes) {
    if (!receive(bytes)) return false;
    left = settings_.restless && random_.below(40) == 0;
    return !left;
  });
  if (stop.stop_requested()) return;
  if (ended && ended->status >= 300)
    return fail(fmt::format("{}: {} {}", call.target, ended->status, ended->body.substr(0, 300)));
  if (!left && link_.holds(way))
    fail(fmt::format("{} ended while the server ran: {}", call.target,
                     ended ? "end of stream" : ended.error().what()));
}

bool Watcher::receive(std::string_view bytes) {
  partial_ += bytes;
  size_t start = 0;
  const Lock lock(mutex_);
  for (size_t end; (end = partial_.find('\n', start)) != std::string::npos; start = end + 1) {
    std::string line = partial_.substr(start, end - start);
    if (line.starts_with("{\"type\":\"ERROR\"")) {
      defect_ = std::move(line);
      return false;
    }
    newest_ = revision_in(line);
    if (!line.starts_with("{\"type\":\"BOOKMARK\"")) lines_.push_back(std::move(line));
  }
  partial_.erase(0, start);
  changed_.notify_all();
  return true;
}

std::vector<std::string> Watcher::take(size_t count, std::chrono::seconds limit) {
  const SystemClock clock;
  const MonoTime end = clock.mono() + limit;
  const Lock lock(mutex_);
  while (lines_.size() < count && clock.mono() < end && !defect_)
    changed_.wait_for(mutex_, milliseconds(10));
  return std::exchange(lines_, {});
}

std::optional<std::string> Watcher::take_defect() {
  const Lock lock(mutex_);
  return std::exchange(defect_, std::nullopt);
}

int64_t Watcher::newest() {
  const Lock lock(mutex_);
  return newest_;
}

// A short pause keeps a server that refuses from being asked in a tight loop.
void Watcher::fail(std::string what) {
  const Lock lock(mutex_);
  defect_ = std::move(what);
  changed_.notify_all();
  changed_.wait_for(mutex_, milliseconds(200));
}

}  // namespace holdfast::campaign
