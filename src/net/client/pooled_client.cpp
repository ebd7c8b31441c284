/// Lines in a pool: a call takes an idle line or makes one, drives it in its own thread, and puts
/// it back. No thread of ours, no state shared between calls but the pool.
#include <holdfast/base/mutex.h>
#include <holdfast/net/client.h>

#include "client/line.h"
#include "client/upgrade.h"

#include <fmt/format.h>

#include <vector>

namespace holdfast::net {
namespace {

constexpr size_t kIdleLines = 32;

class PooledClient final : public Client {
 public:
  explicit PooledClient(ClientOptions options)
      : shared_(std::make_shared<const ClientOptions>(std::move(options))), options_(*shared_) {}

  Result<Response> call(const Call& call) override { return perform(call, nullptr); }
  Result<Response> stream(const Call& call,
                          const std::function<bool(std::string_view)>& on_data) override {
    return perform(call, &on_data);
  }
  Result<Connected> connect(const Call& call, const std::vector<std::string>& protocols) override {
    auto connected = upgrade(shared_, call, protocols);
    if (connected) return connected;
    return connected.take_error().with_context(
        fmt::format("WebSocket {}{}", options_.base_url, call.target));
  }

 private:
  Result<Response> perform(const Call& call, const Line::OnData* on_data) {
    std::unique_ptr<Line> line = take();
    auto response = line->perform(call, on_data);
    put(std::move(line));
    if (response) return response;
    return response.take_error().with_context(
        fmt::format("{} {}{}", call.method, options_.base_url, call.target));
  }

  // The line used last is taken first: its connection is the least likely to have been closed
  // meanwhile.
  std::unique_ptr<Line> take() {
    {
      const Lock lock(mutex_);
      if (!idle_.empty()) {
        auto line = std::move(idle_.back());
        idle_.pop_back();
        return line;
      }
    }
    return std::make_unique<Line>(options_);
  }

  void put(std::unique_ptr<Line> line) {
    const Lock lock(mutex_);
    if (idle_.size() < kIdleLines) idle_.push_back(std::move(line));
  }

  const std::shared_ptr<const ClientOptions> shared_;  // a WebSocket may outlive us
  const ClientOptions& options_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Line>> idle_ HF_GUARDED_BY(mutex_);
};

}  // namespace

Result<Connected> Client::connect(const Call& call, const std::vector<std::string>&) {
  return Error(Fault::Invalid, fmt::format("WebSocket {}: not over this connection", call.target));
}

Error answer_too_long(size_t bound) {
  return {Fault::Corrupt, fmt::format("the answer is longer than {} bytes", bound)};
}

Result<std::unique_ptr<Client>> Client::make(ClientOptions options) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) return Error(Fault::Internal, curl_easy_strerror(ready));
  if (!options.base_url.starts_with("http://") && !options.base_url.starts_with("https://"))
    return Error(Fault::Invalid,
                 fmt::format("server address {}: neither http:// nor https://", options.base_url));
  return std::unique_ptr<Client>(std::make_unique<PooledClient>(std::move(options)));
}

}  // namespace holdfast::net
