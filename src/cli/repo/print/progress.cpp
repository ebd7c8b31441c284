#include "repo/print/progress.h"

#include <holdfast/cli/words.h>

#include <fmt/format.h>

#include <cmath>

namespace holdfast::cli {
namespace {

/// The rate is that of so long, not that of the whole run.
constexpr MonoTime kLately = std::chrono::seconds(10);

}  // namespace

Progress::Progress(Session& session) : session_(session), start_(session.clock().mono()) {
  const double fps = session.settings().progress_fps;
  const bool speaks =
      !session.out().quiet() && (line_.terminal() || session.out().json() || fps > 0);
  if (!speaks) return;
  every_ = session.out().json() ? MonoTime(std::chrono::seconds(1)) : MonoTime(100'000);
  if (fps > 0) every_ = MonoTime(int64_t(1e6 / fps));
  last_ = start_;
}

bool Progress::due() {
  const MonoTime now = session_.clock().mono();
  if (every_ == MonoTime() || now - last_ < every_) return false;
  last_ = now;
  return true;
}

std::chrono::duration<double> Progress::elapsed() const { return session_.clock().mono() - start_; }

std::optional<std::chrono::seconds> Progress::remaining(uint64_t done, uint64_t all) const {
  if (done == 0 || all <= done || elapsed() < std::chrono::seconds(1)) return {};
  const double left = elapsed().count() * double(all - done) / double(done);
  return std::chrono::seconds(std::llround(left));
}

double Progress::rate(uint64_t done) {
  const MonoTime now = session_.clock().mono();
  lately_.emplace_back(now, done);
  while (lately_.size() > 2 && now - lately_.front().first > kLately) lately_.pop_front();
  const std::chrono::duration<double> span = now - lately_.front().first;
  return span.count() > 0 ? double(done - lately_.front().second) / span.count() : 0;
}

void Progress::bytes(uint64_t done, uint64_t all, const std::string& details) {
  show(pace_text({done, all, rate(done), remaining(done, all)}, details));
}

void Progress::items(uint64_t done, uint64_t all, const std::string& noun) {
  if (all == 0) return show(fmt::format("{} {}", done, noun));
  std::string text = fmt::format("{}  {} of {} {}", percent(done, all), done, all, noun);
  if (const auto left = remaining(done, all)) text += ", ETA " + clock_text(*left);
  show(text);
}

void Progress::show(const std::string& text) {
  const auto time = std::chrono::duration_cast<std::chrono::seconds>(elapsed());
  line_.show(fmt::format("[{}] {}", clock_text(time), text));
}

}  // namespace holdfast::cli
