/// Patience with something that lasts: it is spoken of after ten seconds, and again each time that
/// it has lasted twice as long, so that a wait of hours fills no log.
#pragma once

#include <holdfast/base/clock.h>

namespace holdfast::apiserver {

class Patience {
 public:
  explicit Patience(MonoTime begun) : begun_(begun), speak_at_(begun + kFirst) {}

  MonoTime begun() const { return begun_; }
  /// True if it is time to speak; then not again until it has lasted twice as long.
  bool over(MonoTime now) {
    if (now < speak_at_) return false;
    speak_at_ = now + (now - begun_);
    return true;
  }

 private:
  static constexpr MonoTime kFirst = std::chrono::seconds(10);

  MonoTime begun_, speak_at_;
};

}  // namespace holdfast::apiserver
