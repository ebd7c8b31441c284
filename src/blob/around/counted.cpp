// Counters of bytes and requests, for metrics and summaries.
#include <holdfast/blob/around.h>
#include <holdfast/blob/forwarding.h>

namespace holdfast::blob {
namespace {

class CountedStore final : public Forwarding {
 public:
  CountedStore(std::unique_ptr<Store> inner, std::shared_ptr<Traffic> traffic)
      : Forwarding(std::move(inner)), traffic_(std::move(traffic)) {}

  Result<void> put(const std::string& name, std::string_view bytes,
                   const PutOptions& options) override {
    ++traffic_->puts;
    auto done = note(inner().put(name, bytes, options));
    if (done) traffic_->bytes_up += bytes.size();
    if (!done && done.error().fault() == Fault::Invalid) ++traffic_->puts_refused;
    return done;
  }
  Result<void> read(const std::string& name, std::optional<Range> range,
                    std::string& into) override {
    ++traffic_->gets;
    auto done = note(inner().read(name, range, into));
    if (done) traffic_->bytes_down += into.size();
    return done;
  }
  Result<Info> stat(const std::string& name) override {
    ++traffic_->stats;
    return note(inner().stat(name));
  }
  Result<void> list(const std::string& prefix,
                    const std::function<void(const Info&)>& each) override {
    ++traffic_->lists;
    return note(inner().list(prefix, each));
  }
  Result<void> remove(const std::string& name) override {
    ++traffic_->removes;
    return note(inner().remove(name));
  }
  Result<std::vector<std::string>> remove_all(const std::vector<std::string>& names) override {
    traffic_->removes += names.size();
    return note(inner().remove_all(names));
  }

 private:
  template <class T>
  Result<T> note(Result<T> done) {
    if (!done && done.error().fault() != Fault::NotFound) ++traffic_->failures;
    return done;
  }

  const std::shared_ptr<Traffic> traffic_;
};

}  // namespace

std::unique_ptr<Store> counted(std::unique_ptr<Store> inner, std::shared_ptr<Traffic> traffic) {
  return std::make_unique<CountedStore>(std::move(inner), std::move(traffic));
}

}  // namespace holdfast::blob
