#include "world/held_servers.h"

#include "world/commands.h"

#include <fmt/format.h>

#include <map>

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;

/// START WAL LOCATION: 0/1000028 (file 000000010000000000000001)
constexpr const char* kLabel =
    "LABEL backup_label "
    "U1RBUlQgV0FMIExPQ0FUSU9OOiAwLzEwMDAwMjggKGZpbGUgMDAwMDAwMDEwMDAwMDAwMDAwMDAwMDAxKQo="
    " .";
/// So long a database leaves the segments of its log alone.
constexpr MonoTime kLogLasts = 60s;
/// Of the session's command: after that the profile lets go by itself.
constexpr size_t kDeadlineWord = 6;

/// When the base backup of each pod ended, by the pod's uid.
using Released = std::map<std::string, MonoTime>;

/// Connected, held, and then what a restore needs.
class HeldServer final : public Program {
 public:
  HeldServer(std::chrono::seconds deadline, Released& released)
      : deadline_(deadline), released_(released) {}

 private:
  bool listens() const override { return true; }
  void told(Inside& inside, std::string_view line) override {
    if (line == "lock") inside.act_at(inside.soon());
  }
  void act(Inside& inside) override {
    const bool over = inside.input_ended() || inside.deadline_passed();
    if (inside.act_due() && !connected_) {
      connected_ = true;
      inside.say("HOLDFAST CONNECTED");
      inside.act_at(MonoTime::max());
    } else if (inside.act_due() && !holds_) {
      holds_ = true;
      inside.lock();
      inside.say("READY");
      inside.act_at(MonoTime::max());
      inside.set_deadline(inside.now() + deadline_);
    }
    if (over) release(inside);
  }
  void release(Inside& inside) {
    if (holds_) {
      inside.let_go();
      released_[inside.command().pod_uid] = inside.now();
    }
    if (inside.deadline_passed()) return inside.end(3);
    if (holds_)
      for (const char* line : {kLabel, "WAL 000000010000000000000001 000000010000000000000002 .",
                               "AT data /data/db", "AT log /data/db/log", "RELEASED"})
        inside.say(fmt::format("HOLDFAST {}", line));
    inside.end(0);
  }

  const std::chrono::seconds deadline_;
  Released& released_;
  bool connected_ = false, holds_ = false;
};

/// Whether the segments of the log are all there still.
class LogCheck final : public Program {
 public:
  explicit LogCheck(Released& released) : released_(released) {}

 private:
  void act(Inside& inside) override {
    inside.end(inside.now() < released_[inside.command().pod_uid] + kLogLasts ? 0 : 1);
  }
  Released& released_;
};

class HeldServers final : public DriverPart {
  std::unique_ptr<Program> program(const Command& command) override {
    if (command.script == "holdfast-log") return std::make_unique<LogCheck>(released_);
    if (command.script != "holdfast-postgresql") return nullptr;
    const auto& words = command.words;
    const int seconds = words.size() > kDeadlineWord ? number_in(words[kDeadlineWord]) : 0;
    return std::make_unique<HeldServer>(std::chrono::seconds(seconds), released_);
  }
  Released released_;
};

}  // namespace

std::unique_ptr<DriverPart> make_held_servers() { return std::make_unique<HeldServers>(); }

}  // namespace holdfast::sim
