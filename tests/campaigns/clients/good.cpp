#include "clients/good.h"

#include "server_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace holdfast::campaign {
namespace {

constexpr std::string_view kMerge = "application/merge-patch+json";

std::string named(std::string_view name) {
  return fmt::format(R"({{"metadata":{{"name":"{}"}}}})", name);
}

Result<void> ask(net::Client& client, size_t turn) {
  switch (turn % 4) {
    case 0:
      HF_TRY(send(client, "GET", "/readyz"));
      break;
    case 1:
      HF_TRY(send(client, "GET", "/api/v1/namespaces"));
      break;
    case 2:
      HF_TRY(send(client, "GET", "/api/v1/namespaces/kube-system"));
      break;
    default:
      HF_TRY(send(client, "PATCH", "/api/v1/namespaces/default",
                  fmt::format(R"({{"metadata":{{"annotations":{{"turn":"{}"}}}}}})", turn),
                  kMerge));
  }
  return ok();
}

}  // namespace

GoodClient::GoodClient(net::Client& client, const Clock& clock)
    : client_(client), clock_(clock), thread_([this](const std::stop_token& stop) { run(stop); }) {}

void GoodClient::run(const std::stop_token& stop) {
  for (size_t turn = 0; !stop.stop_requested(); ++turn) {
    const MonoTime start = clock_.mono();
    const Result<void> asked = ask(client_, turn);
    longest_ = std::max(longest_.load(), int64_t((clock_.mono() - start).count() / 1000));
    if (asked) {
      ++answered_;
      continue;
    }
    const Lock lock(mutex_);
    complaint_ = asked.error().what();
    return;
  }
}

std::string GoodClient::complaint() {
  const Lock lock(mutex_);
  return complaint_;
}

GoodWatcher::GoodWatcher(net::Client& client)
    : client_(client), thread_([this](const std::stop_token& stop) {
        net::Call call;
        call.stop = stop;
        call.target =
            fmt::format("{}?watch=1&fieldSelector=metadata.name%21%3Dkube-root-ca.crt", kBusyMaps);
        const Result<net::Response> end = client_.stream(call, [this](std::string_view bytes) {
          seen_ += size_t(std::count(bytes.begin(), bytes.end(), '\n'));
          return true;
        });
        ended_ = true;
      }) {}

Result<void> prepare_busy(net::Client& client) {
  HF_TRY(send(client, "POST", "/api/v1/namespaces", named("busy")));
  for (size_t i = 0; i < kBusyObjects; ++i)
    HF_TRY(send(client, "POST", std::string(kBusyMaps), named(fmt::format("map-{}", i))));
  return ok();
}

Result<void> write_events(net::Client& client, size_t count) {
  std::atomic<size_t> next{0};
  Mutex mutex;
  std::optional<Error> failure;
  const auto work = [&](size_t writer) {
    const std::string name = fmt::format("map-{}", writer);
    for (size_t i = next++; i < count; i = next++) {
      const std::string patch =
          fmt::format(R"({{"data":{{"turn":"{}","pad":"{}"}}}})", i, std::string(900, 'x'));
      Result<std::string> sent =
          send(client, "PATCH", fmt::format("{}/{}", kBusyMaps, name), patch, kMerge);
      if (sent) continue;
      next = count;
      const Lock lock(mutex);
      failure = sent.take_error();
    }
  };
  {
    std::vector<std::jthread> writers;
    for (size_t i = 0; i < kBusyObjects; ++i) writers.emplace_back(work, i);
  }
  if (failure) return std::move(*failure);
  return ok();
}

}  // namespace holdfast::campaign
