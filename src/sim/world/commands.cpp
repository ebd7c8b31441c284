#include "world/commands.h"

#include <algorithm>
#include <charconv>

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;

class Other final : public Program {
  void act(Inside& inside) override { inside.end(0); }
};

class Lock final : public Program {
 public:
  explicit Lock(bool late) : late_(late) {}

 private:
  void begin(Inside& inside) override {
    if (late_) inside.act_at(inside.now() + 3s);
  }
  void act(Inside& inside) override {
    if (inside.act_due()) inside.lock();
    inside.end(0);
  }
  const bool late_;
};

class HangingLock final : public Program {
  void act(Inside& inside) override {
    if (inside.act_due()) inside.lock();
    inside.act_at(MonoTime::max());
  }
};

class Unlock final : public Program {
  void act(Inside& inside) override { inside.end(inside.unlock() ? 0 : 1); }
};

class Hold final : public Program {
  bool listens() const override { return true; }
  void act(Inside& inside) override {
    if (inside.act_due() && !holds_) {
      holds_ = true;
      inside.lock();
      inside.say("READY");
      inside.act_at(MonoTime::max());
    }
    if (!inside.input_ended() && !inside.deadline_passed()) return;
    if (holds_) inside.let_go();
    inside.end(inside.deadline_passed() ? 3 : 0);
  }
  bool holds_ = false;
};

/// Runs its posts when its input ends, and once more at the deadline, unless it was dismissed.
class Guard final : public Program {
 public:
  explicit Guard(int posts) : posts_(posts) {}

 private:
  bool listens() const override { return !ran_; }
  void told(Inside& inside, std::string_view line) override {
    if (line != "done") return;
    dismissed_ = true;
    inside.act_at(inside.now());
  }
  void act(Inside& inside) override {
    if (inside.act_due() && !dismissed_) inside.say("HOLDFAST ARMED");
    inside.act_at(MonoTime::max());
    if (dismissed_) return inside.end(0);
    const bool last = inside.deadline_passed();
    if (!last && (ran_ || !inside.input_ended())) return;
    bool well = true;
    for (int i = 0; i < posts_; ++i) well = inside.unlock() && well;
    ran_ = true;
    if (last) inside.end(well ? 0 : 1);
  }
  const int posts_;
  bool ran_ = false, dismissed_ = false;
};

}  // namespace

std::unique_ptr<Program> command_program(const Command& command) {
  const auto& words = command.words;
  if (command.script == "holdfast-guard")
    return std::make_unique<Guard>(int(std::count(words.begin(), words.end(), "unlock")));
  const std::string_view last = words.empty() ? std::string_view() : words.back();
  if (last == "hold") return std::make_unique<Hold>();
  if (last == "lock" || last == "lock-late") return std::make_unique<Lock>(last == "lock-late");
  if (last == "lock-hang") return std::make_unique<HangingLock>();
  if (last == "unlock") return std::make_unique<Unlock>();
  return std::make_unique<Other>();
}

int number_in(std::string_view text) {
  int out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

}  // namespace holdfast::sim
