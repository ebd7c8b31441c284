#include <holdfast/base/random.h>
#include <holdfast/blob/location.h>
#include <holdfast/protect/ask_bucket.h>

#include <fmt/format.h>

#include <thread>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongest = 10s;

/// Asks for an end when the time is up.
class Deadline {
 public:
  Deadline()
      : thread_([this](const std::stop_token& over) {
          sleep_until_stopped()(kLongest, over);
          if (!over.stop_requested()) source_.request_stop();
        }) {}
  std::stop_token token() const { return source_.get_token(); }
  bool passed() const { return source_.stop_requested(); }

 private:
  std::stop_source source_{};
  std::jthread thread_;  ///< the last member: it ends first
};

}  // namespace

Result<void> list_nothing(blob::Store& store) {
  return store.list("holdfast-is-it-there/", [](const blob::Info&) {});
}

BucketAnswer ask_bucket(const BucketAsked& asked) {
  Result<blob::Location> place = blob::parse_location(asked.repository);
  if (!place) return {false, place.take_error()};
  const SystemClock clock;
  SystemRandom random;
  const Deadline deadline;
  blob::OpenOptions options{
      false, {clock, random, sleep_until_stopped(), deadline.token()}, {}, {}};
  options.retry.give_up = 0ms;
  options.s3.region = asked.s3.region;
  if (asked.s3.force_path_style) options.s3.addressing = blob::Addressing::Path;
  options.s3.sources.given = asked.key;
  options.s3.ca = asked.s3.ca_bundle;
  std::string code;
  options.s3.refused = [&code](const std::string& said) { code = said; };
  Result<std::unique_ptr<blob::Store>> store = blob::open_store(*place, options);
  if (!store) return {false, store.take_error()};
  Result<void> listed = list_nothing(**store);
  if (!listed && deadline.passed())
    return {true, Error(Fault::Unavailable,
                        fmt::format("no answer within {} s: check spec.s3.endpoint and the network",
                                    kLongest.count()))};
  return {true, std::move(listed), code};
}

}  // namespace holdfast::protect
