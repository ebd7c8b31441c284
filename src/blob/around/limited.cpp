// Limits of bandwidth and concurrency, both of which can change while transfers run.
#include <holdfast/base/walls.h>
#include <holdfast/blob/around.h>
#include <holdfast/blob/forwarding.h>

#include "around/pace.h"
#include "around/places.h"

#include <fmt/format.h>

namespace holdfast::blob {
namespace {

using std::chrono::milliseconds;

/// What closes a run that was asked to stop, as an index of what was sent, may be so large and has
/// to have its turn so soon.
constexpr uint64_t kMostClosing = uint64_t{4} << 20;
constexpr milliseconds kLongestClosing{5000};

/// An error if it is asked to stop first: no byte goes before its time.
Result<void> wait_for(Pace& pace, uint64_t bytes, const std::atomic<uint64_t>& rate,
                      const Waiting& waiting) {
  for (;;) {
    const milliseconds left = pace.ask(bytes, rate, waiting.clock.mono());
    if (left.count() == 0) return ok();
    const bool stopped = waiting.stop.stop_requested();
    if (stopped && !wall_stands("end of a run")) return ok();
    if (stopped && (bytes > kMostClosing || pace.debt(waiting.clock.mono()) > kLongestClosing))
      return Error(Fault::Unavailable,
                   fmt::format("stopped while {} bytes waited for their turn at {} bytes/s", bytes,
                               rate.load()));
    waiting.sleep(left, stopped ? std::stop_token() : waiting.stop);
  }
}

class LimitedStore final : public Forwarding {
 public:
  LimitedStore(std::unique_ptr<Store> inner, std::shared_ptr<const Limits> limits, Waiting waiting)
      : Forwarding(std::move(inner)), limits_(std::move(limits)), waiting_(std::move(waiting)) {}

  Result<void> put(const std::string& name, std::string_view bytes,
                   const PutOptions& options) override {
    const Place held = place();
    Result<void> turn = wait_for(up_, bytes.size(), limits_->up_bytes_per_second, waiting_);
    if (!turn) return turn.take_error().with_context(fmt::format("PUT {}", name));
    return inner().put(name, bytes, options);
  }
  /// How long a whole blob is, is known only afterwards: the next one waits for it.
  Result<void> read(const std::string& name, std::optional<Range> range,
                    std::string& into) override {
    const Place held = place();
    const uint64_t known = range ? range->length : 0;
    Result<void> turn = wait_for(down_, known, limits_->down_bytes_per_second, waiting_);
    if (!turn) return turn.take_error().with_context(fmt::format("GET {}", name));
    HF_TRY(inner().read(name, range, into));
    if (!range) down_.charge(into.size(), limits_->down_bytes_per_second, waiting_.clock.mono());
    return ok();
  }
  Result<Info> stat(const std::string& name) override {
    const Place held = place();
    return inner().stat(name);
  }
  Result<void> list(const std::string& prefix,
                    const std::function<void(const Info&)>& each) override {
    const Place held = place();
    return inner().list(prefix, each);
  }
  Result<void> remove(const std::string& name) override {
    const Place held = place();
    return inner().remove(name);
  }
  Result<std::vector<std::string>> remove_all(const std::vector<std::string>& names) override {
    const Place held = place();
    return inner().remove_all(names);
  }

 private:
  Place place() { return {places_, limits_->operations, waiting_.stop}; }

  const std::shared_ptr<const Limits> limits_;
  const Waiting waiting_;
  Pace up_, down_;
  Places places_;
};

}  // namespace

std::unique_ptr<Store> limited(std::unique_ptr<Store> inner, std::shared_ptr<const Limits> limits,
                               Waiting waiting) {
  return std::make_unique<LimitedStore>(std::move(inner), std::move(limits), std::move(waiting));
}

}  // namespace holdfast::blob
