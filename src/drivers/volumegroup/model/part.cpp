#include "part.h"

#include <holdfast/drivers/volumegroup/volume_group_action.h>

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;
using model::string_at;
using model::Value;

/// START WAL LOCATION: 0/1000028 (file 000000010000000000000001)
constexpr const char* kLabel =
    "LABEL backup_label "
    "U1RBUlQgV0FMIExPQ0FUSU9OOiAwLzEwMDAwMjggKGZpbGUgMDAwMDAwMDEwMDAwMDAwMDAwMDAwMDAxKQo="
    " .";
/// So long a database leaves the segments of its log alone.
constexpr MonoTime kLogLasts = 60s;

/// When the base backup of each pod ended, by the pod's uid.
using Released = std::map<std::string, MonoTime>;

/// A base backup of the profile postgresql: connected, held from `lock` to the end of its input,
/// and then what a restore needs.
class HeldServer final : public sim::Program {
 public:
  HeldServer(std::chrono::seconds deadline, Released& released)
      : deadline_(deadline), released_(released) {}

 private:
  bool listens() const override { return true; }
  void told(sim::Inside& inside, std::string_view line) override {
    if (line == "lock") inside.act_at(inside.soon());
  }
  void act(sim::Inside& inside) override {
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
  void release(sim::Inside& inside) {
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
class LogCheck final : public sim::Program {
 public:
  explicit LogCheck(Released& released) : released_(released) {}

 private:
  void act(sim::Inside& inside) override {
    inside.end(inside.now() < released_[inside.command().pod_uid] + kLogLasts ? 0 : 1);
  }
  Released& released_;
};

class Part final : public sim::DriverPart {
 public:
  explicit Part(const sim::Sight& sight) : sight_(sight) {}

  std::unique_ptr<sim::Program> program(const sim::Command& command) override {
    if (command.script == "holdfast-postgresql") {
      int seconds = 0;
      if (const auto& words = command.words; words.size() > 6)
        std::from_chars(words[6].data(), words[6].data() + words[6].size(), seconds);
      return std::make_unique<HeldServer>(std::chrono::seconds(seconds), released_);
    }
    if (command.script == "holdfast-log") return std::make_unique<LogCheck>(released_);
    return nullptr;
  }

  /// Pods of an action do their work, and it succeeds.
  std::optional<sim::PodFate> fate(const Value& pod) override {
    if (string_at(pod, {"metadata", "labels", kActionLabel}).empty()) return std::nullopt;
    sim::PodFate fate;
    fate.volumes = true;
    fate.exits = "0";
    return fate;
  }

  void cut(const Value& snapshot, const kube::Key& claim) override {
    const std::string action(string_at(snapshot, {"metadata", "labels", kActionLabel}));
    // A log is cut after the application was let go.
    if (action.empty() || !string_at(snapshot, {"metadata", "annotations", kLogOf}).empty()) return;
    for (const auto& [key, pod] : sight_.history.now("pods"))
      for (const Value& volume : model::array_at(*pod, {"spec", "volumes"}))
        if (key.ns == claim.ns &&
            string_at(volume, {"persistentVolumeClaim", "claimName"}) == claim.name &&
            !sight_.held_still(std::string(string_at(*pod, {"metadata", "uid"}))))
          loose_.insert(action);
  }

  /// Application is said only of what was cut while the application held still.
  std::optional<sim::Violation> judge(const sim::Commit& commit) override {
    if (sight_.history.resources()[commit.resource].plural != "volumegroupactions" ||
        string_at(*commit.object, {"status", "consistency"}) != "Application" ||
        !loose_.contains(commit.uid))
      return std::nullopt;
    return sim::Violation{
        "verdict",
        fmt::format("{} says Application, and was cut outside of the lock", commit.key.text())};
  }

 private:
  const sim::Sight sight_;
  Released released_;
  std::set<std::string> loose_;  ///< uids of actions with a cut outside of any lock
};

}  // namespace

std::unique_ptr<sim::DriverPart> make_part(const sim::Sight& sight) {
  return std::make_unique<Part>(sight);
}

}  // namespace holdfast::drivers::volumegroup
