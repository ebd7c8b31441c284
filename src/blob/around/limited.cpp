// Bandwidth and concurrency, both of which may be changed while transfers run.
//
//   free_at: when the bytes sent so far will have had their time. A transfer of n bytes waits until
//   then and moves it on by n / rate, so that the average holds whatever the sizes are.
#include <holdfast/base/mutex.h>

#include "around/around.h"
#include "holdfast/blob/around.h"

#include <algorithm>

namespace holdfast::blob {
namespace {

using std::chrono::milliseconds;

/// One direction.
class Pace {
 public:
  void wait(uint64_t bytes, const std::atomic<uint64_t>& rate, const Waiting& waiting) {
    const MonoTime due = reserve(bytes, rate, waiting.clock.mono());
    // In short steps: a limit that is lifted meanwhile lets us go.
    while (rate != 0 && !waiting.stop.stop_requested()) {
      const MonoTime left = due - waiting.clock.mono();
      if (left <= MonoTime(0)) return;
      waiting.sleep(std::min(std::chrono::ceil<milliseconds>(left), milliseconds(200)),
                    waiting.stop);
    }
  }

  /// For what has come already: those after it wait.
  void charge(uint64_t bytes, const std::atomic<uint64_t>& rate, const Waiting& waiting) {
    (void)reserve(bytes, rate, waiting.clock.mono());
  }

 private:
  MonoTime reserve(uint64_t bytes, uint64_t rate, MonoTime now) {
    const Lock lock(mutex_);
    const MonoTime due = rate == 0 ? now : std::max(now, free_at_);
    const double seconds = rate == 0 ? 0 : double(bytes) / double(rate);
    free_at_ = due + MonoTime(int64_t(seconds * 1e6));
    return due;
  }

  Mutex mutex_;
  MonoTime free_at_ HF_GUARDED_BY(mutex_){0};
};

/// Places for operations at once.
class Places {
 public:
  void take(const std::atomic<int>& limit, const std::stop_token& stop) {
    const Lock lock(mutex_);
    // A raised limit rings no bell: look again now and then.
    while (limit > 0 && taken_ >= limit && !stop.stop_requested())
      freed_.wait_for(mutex_, milliseconds(100));
    ++taken_;
  }
  void give_back() {
    const Lock lock(mutex_);
    --taken_;
    freed_.notify_one();
  }

 private:
  Mutex mutex_;
  CondVar freed_;
  int taken_ HF_GUARDED_BY(mutex_) = 0;
};

class LimitedStore final : public Around {
 public:
  LimitedStore(std::unique_ptr<Store> inner, std::shared_ptr<const Limits> limits, Waiting waiting)
      : Around(std::move(inner)), limits_(std::move(limits)), waiting_(std::move(waiting)) {}

  Result<void> put(const std::string& name, std::string_view bytes,
                   const PutOptions& options) override {
    const Place place(*this);
    up_.wait(bytes.size(), limits_->up_bytes_per_second, waiting_);
    return inner().put(name, bytes, options);
  }
  /// How long a whole blob is, is known only afterwards: the next one waits for it.
  Result<std::string> get(const std::string& name, std::optional<Range> range) override {
    const Place place(*this);
    down_.wait(range ? range->length : 0, limits_->down_bytes_per_second, waiting_);
    Result<std::string> bytes = inner().get(name, range);
    if (bytes && !range) down_.charge(bytes->size(), limits_->down_bytes_per_second, waiting_);
    return bytes;
  }
  Result<Info> stat(const std::string& name) override {
    const Place place(*this);
    return inner().stat(name);
  }
  Result<void> list(const std::string& prefix,
                    const std::function<void(const Info&)>& each) override {
    const Place place(*this);
    return inner().list(prefix, each);
  }
  Result<void> remove(const std::string& name) override {
    const Place place(*this);
    return inner().remove(name);
  }
  Result<std::vector<std::string>> remove_all(const std::vector<std::string>& names) override {
    const Place place(*this);
    return inner().remove_all(names);
  }

 private:
  class Place {
   public:
    explicit Place(LimitedStore& store) : places_(store.places_) {
      places_.take(store.limits_->operations, store.waiting_.stop);
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place() { places_.give_back(); }

   private:
    Places& places_;
  };

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
