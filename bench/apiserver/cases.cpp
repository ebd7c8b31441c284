#include "cases.h"

#include <holdfast/base/mutex.h>
#include <holdfast/model/json.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <thread>

namespace holdfast::bench {
namespace {

constexpr int kConnections = 16;
constexpr int64_t kEndedEarly = INT64_MAX;

std::string config_map(std::string_view name) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{}","labels":{{"app":"bench"}}}},)"
      R"("data":{{"payload":"{}"}}}})",
      name, std::string(900, 'x'));
}

Result<net::Response> send(Subject& subject, std::string method, std::string target,
                           std::string body = {}) {
  net::Call call;
  call.method = std::move(method);
  call.target = std::move(target);
  call.timeout = std::chrono::minutes(2);
  if (!body.empty()) call.headers.add("Content-Type", "application/json");
  call.body = std::move(body);
  net::Response response = HF_TRY(subject.client.call(call));
  if (response.status >= 300)
    return Error(Fault::Internal, fmt::format("{} {}: {} {}", call.method, call.target,
                                              response.status, response.body));
  return response;
}

Result<void> create(Subject& subject, std::string_view ns, std::string_view name) {
  HF_TRY(
      send(subject, "POST", fmt::format("/api/v1/namespaces/{}/configmaps", ns), config_map(name)));
  return ok();
}

Result<void> create_namespace(Subject& subject, std::string_view name) {
  HF_TRY(send(subject, "POST", "/api/v1/namespaces",
              fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name)));
  return ok();
}

/// Runs `operation(i)` for i in [0, count) from several threads and gives each one's time.
Result<Latencies> run_parallel(Subject& subject, int threads, int64_t count,
                               const std::function<Result<void>(int64_t)>& operation) {
  std::atomic<int64_t> next{0};
  Mutex mutex;
  Latencies all;
  std::optional<Error> failure;
  const auto work = [&] {
    Latencies mine;
    for (int64_t i = next++; i < count; i = next++) {
      const MonoTime start = subject.clock.mono();
      auto done = operation(i);
      mine.push_back(subject.clock.mono() - start);
      if (done) continue;
      next = count;
      const Lock lock(mutex);
      failure = done.take_error();
    }
    const Lock lock(mutex);
    all.insert(all.end(), mine.begin(), mine.end());
  };
  {
    std::vector<std::jthread> pool;
    for (int i = 0; i < threads; ++i) pool.emplace_back(work);
  }
  if (failure) return std::move(*failure);
  return all;
}

/// Runs `operation` and reports it as the case `name`.
Result<void> measure(Subject& subject, std::string_view name, int threads, int64_t count,
                     const std::function<Result<void>(int64_t)>& operation) {
  const Measured measured(subject.clock, subject.processes);
  Latencies latencies = HF_TRY(run_parallel(subject, threads, count, operation));
  measured.finish(subject.report, name, std::move(latencies));
  return ok();
}

}  // namespace

Result<void> run_create(Subject& subject, int connections) {
  const std::string ns = fmt::format("create-c{}", connections);
  const int64_t count = (connections == 1 ? 500 : 5000) / subject.scale;
  HF_TRY(create_namespace(subject, ns));
  return measure(subject, ns, connections, count,
                 [&](int64_t i) { return create(subject, ns, fmt::format("c{:05}", i)); });
}

Result<void> run_get(Subject& subject) {
  const int64_t objects = 5000 / subject.scale;
  return measure(subject, "get-c16", kConnections, 4 * objects, [&](int64_t i) -> Result<void> {
    // A stride that is prime to the count visits all objects in no order that helps anybody.
    HF_TRY(
        send(subject, "GET",
             fmt::format("/api/v1/namespaces/create-c16/configmaps/c{:05}", i * 7919 % objects)));
    return ok();
  });
}

Result<void> run_list(Subject& subject) {
  const auto fill = [&](int64_t i) {
    return create(subject, "list-10k", fmt::format("c{:05}", i));
  };
  HF_TRY(create_namespace(subject, "list-10k"));
  HF_TRY(run_parallel(subject, kConnections, 10000 / subject.scale, fill));
  HF_TRY(report_memory(subject, "rss-10k"));
  return measure(subject, "list-10k", 1, 10, [&](int64_t) -> Result<void> {
    HF_TRY(send(subject, "GET", "/api/v1/namespaces/list-10k/configmaps"));
    return ok();
  });
}

Result<void> run_watch_latency(Subject& subject) {
  const int64_t count = 500 / subject.scale;
  HF_TRY(create_namespace(subject, "watch-latency"));
  const auto listing = HF_TRY(send(subject, "GET", "/api/v1/namespaces/watch-latency/configmaps"));
  const auto parsed = HF_TRY(model::parse_json(listing.body));
  net::Call call;
  call.target = fmt::format(
      "/api/v1/namespaces/watch-latency/configmaps?watch=1&resourceVersion={}"
      "&timeoutSeconds=300&fieldSelector=metadata.name%21%3Dkube-root-ca.crt",
      model::string_at(parsed.value, {"metadata", "resourceVersion"}));
  // Each event is one line; the writer waits for its own before it goes on.
  std::atomic<int64_t> seen{0};
  std::jthread watcher([&] {
    auto ended = subject.client.stream(call, [&](std::string_view bytes) {
      seen += std::count(bytes.begin(), bytes.end(), '\n');
      seen.notify_all();
      return seen < count;
    });
    if (!ended || seen < count) {
      seen = kEndedEarly;
      seen.notify_all();
    }
  });
  return measure(subject, "watch-latency", 1, count, [&](int64_t i) -> Result<void> {
    HF_TRY(create(subject, "watch-latency", fmt::format("w{:05}", i)));
    for (int64_t now = seen; now <= i; now = seen) seen.wait(now);
    if (seen == kEndedEarly) return Error(Fault::Unavailable, "the watch ended early");
    return ok();
  });
}

Result<void> report_memory(Subject& subject, std::string_view name) {
  subject.report.add(name, "rss", "MiB", double(subject.processes.rss_bytes()) / 1048576);
  subject.report.add(name, "rss_anon", "MiB", double(subject.processes.rss_anon_bytes()) / 1048576);
  return ok();
}

}  // namespace holdfast::bench
