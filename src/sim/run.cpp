#include "run.h"

#include <holdfast/base/text.h>
#include <holdfast/protect/controllers.h>
#include <holdfast/workloads/workloads.h>

#include "data/movers.h"
#include "operators/process.h"
#include "oracles/cuts.h"
#include "oracles/goals.h"
#include "oracles/invariants.h"
#include "oracles/locations.h"
#include "oracles/normal.h"
#include "world/held_servers.h"
#include "world/kubelet.h"
#include "world/ledger.h"
#include "world/user.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace holdfast::sim {
namespace {

using namespace std::chrono_literals;
constexpr MonoTime kWorkloadLimit = 1h, kSettleLimit = 1h, kQuiet = 65s;
constexpr uint64_t kMostSteps = 400000;

/// The server's own background work: at once after a commit, and once a second.
class Background final : public Actor {
 public:
  explicit Background(World& world) : world_(world) {}
  std::string_view name() const override { return "server"; }
  std::optional<MonoTime> due() override {
    if (seen_ != world_.history->commits().size()) return MonoTime{};
    return next_;
  }
  void step() override {
    seen_ = world_.history->commits().size();
    next_ = world_.server->step() ? world_.clock.mono() : world_.clock.mono() + 1s;
    world_.history->catch_up();
  }

 private:
  World& world_;
  size_t seen_ = 0;
  MonoTime next_{};
};

/// A thing to be done at a moment.
class Timers final : public Actor {
 public:
  void at(MonoTime when, std::function<void()> what) { all_.emplace(when, std::move(what)); }
  std::string_view name() const override { return "fate"; }
  std::optional<MonoTime> due() override {
    if (all_.empty()) return std::nullopt;
    return all_.begin()->first;
  }
  void step() override {
    if (all_.empty()) return;
    const auto what = std::move(all_.begin()->second);
    all_.erase(all_.begin());
    what();
  }
  void clear() { all_.clear(); }

 private:
  std::multimap<MonoTime, std::function<void()>> all_;
};

struct Slot {
  std::unique_ptr<SlotClock> clock;
  std::unique_ptr<Process> process;
  int incarnations = 0;
  bool starting = false;
};

class Run {
 public:
  Run(World& world, const Scenario& scenario, uint64_t seed, const std::vector<Mishap>& faults,
      bool trace)
      : world_(world),
        scenario_(scenario),
        choices_(seed * 4 + 1),
        kubelet_random_(seed * 4 + 2),
        storage_random_(seed + 0x5707a6e),
        processes_(seed * 4 + 3),
        schedule_(world.clock, choices_),
        network_(*world.server, *world.history, schedule_),
        judge_(*world.history),
        beats_(*world.history),
        background_(world),
        containers_(*world.history, schedule_, network_, storage_random_, parts_),
        storage_(*world.server, *world.history, world.clock, storage_random_, parts_),
        bucket_(network_),
        pod_work_(schedule_, bucket_),
        kubelet_(*world.server, *world.history, world.clock, kubelet_random_, storage_, parts_,
                 pod_work_),
        user_(*world.server, *world.history, world.clock, scenario, world.models),
        trace_(trace),
        calm_(faults.empty()),
        begun_(world.clock.mono()),
        first_commit_(world.history->commits().size()),
        checked_(first_commit_) {
    world.random.seed(seed * 4);
    network_.set_faults(faults);
    network_.set_observer([this](const Exchange& exchange) { observe(exchange); });
    schedule_.set_unwinding([this] { return somebody_died(); });
    book_.set_witness([this](const kube::Key& ledger, const std::string& uid,
                             const std::string& operation,
                             int64_t attempt) { judge_.witness(ledger, uid, operation, attempt); });
    containers_.set_report([this](std::string oracle, std::string text) {
      judge_.report(std::move(oracle), std::move(text));
    });
    user_.set_observer([this](size_t step) { step_over(step); });
    add_parts();
    user_.set_bucket([this](bool away) { take_bucket(away); });
    for (const Mishap& fault : faults)
      if (fault.at == Mishap::At::Time)
        fate_.at(begun_ + fault.time, [this, fault] { strike(fault); });
    for (Actor* actor : std::initializer_list<Actor*>{&background_, &storage_, &kubelet_, &user_,
                                                      &fate_, &amends_, &containers_})
      schedule_.add(*actor);
  }

  Ending go() {
    start_operators();
    work();
    Ending ending;
    ending.extent = {network_.writes(), network_.calls(), network_.streams(),
                     world_.clock.mono() - begun_};
    if (judge_.violations().empty()) settle();
    ending.requests = network_.requests();
    if (calm_ && judge_.violations().empty())
      check_budget(scenario_.most_requests, network_.requests(), "until all was quiet");
    if (judge_.violations().empty()) replay();
    ending.violations = judge_.violations();
    ending.commits = world_.history->commits().size() - first_commit_;
    ending.steps = schedule_.steps();
    ending.end_state = end_state(*world_.history);
    ending.counts = counts(*world_.history, first_commit_);
    ending.trace = std::move(trace_text_);
    return ending;
  }

 private:
  /// A driver's own part before that of its cuts, so that it may say more of its pods.
  void add_parts() {
    const Sight sight{
        *world_.history,
        [this](const std::string& pod_uid) { return containers_.held_since(pod_uid); },
        [this](const kube::Key& claim) { return storage_.volumes().on(claim); },
        [this](const std::string& id) { return saved_data(bucket_.contents(), id); }};
    for (const DriverModel& each : world_.models) {
      if (each.part) parts_.push_back(each.part(sight));
      if (each.cuts) parts_.push_back(make_cut_part(sight, *each.cuts));
    }
    parts_.push_back(make_held_servers());
    parts_.push_back(
        make_movers(*world_.server, *world_.history, network_, world_.clock, storage_.volumes()));
  }

  void start_operators() {
    build_.elects = scenario_.operators > 1;
    build_.controllers = workloads::controllers(scenario_.controllers);
    build_.drivers.push_back({.name = "protect", .controllers = protecting()});
    for (const DriverModel& each : world_.models)
      if (scenario_.runs(each.driver.name)) build_.drivers.push_back(each.driver);
    build_.settings.admin_namespaces = {"default", "admins"};
    if (scenario_.runs("ledger")) build_.controllers.push_back(ledger_controller(book_));
    for (uint64_t i = 0; i < scenario_.operators; ++i) {
      slots_.emplace_back();
      slots_.back().clock = std::make_unique<SlotClock>(world_.clock);
      start(i);
    }
  }

  /// Those of the room that all drivers share which the scenario names.
  decltype(protect::Driver::controllers) protecting() const {
    return [this](const protect::DriverSettings& settings, const auto& outside) {
      constexpr std::string_view kEnd = "-controller";
      protect::MoverSettings movers = settings.movers;
      movers.admin_namespaces = settings.admin_namespaces;
      std::vector<control::ControllerSpec> all = protect::controllers(movers, outside);
      std::erase_if(all, [&](const control::ControllerSpec& spec) {
        const std::string_view name = spec.name;
        return !name.ends_with(kEnd) || !scenario_.runs(name.substr(0, name.size() - kEnd.size()));
      });
      return all;
    };
  }

  void start(size_t slot) {
    Life life;
    life.slot = int(slot);
    life.incarnation = slots_[slot].incarnations++;
    life.caller = {std::string(kOperator), {}};
    slots_[slot].starting = false;
    slots_[slot].process =
        std::make_unique<Process>(life, build_, *slots_[slot].clock, world_.clock, network_,
                                  schedule_, containers_, bucket_, processes_.next());
  }

  bool somebody_died() const {
    return std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
      return slot.process != nullptr && slot.process->life().dead;
    });
  }

  // Only when no frame of anybody is on the stack.
  void bury() {
    for (size_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      if (slot.process == nullptr || !slot.process->life().dead) continue;
      slot.process.reset();
      note("operator {} died", i);
      supervisor_.at(world_.clock.mono() + scenario_.restart, [this, i] { start(i); });
    }
  }

  /// One step, or a jump of time up to the limit. False: the limit has come.
  bool move(MonoTime limit) {
    bury();
    check_commits();
    if (schedule_.steps() > kMostSteps) {
      judge_.report("stuck", fmt::format("{} steps and no end", kMostSteps));
      return false;
    }
    if (!judge_.violations().empty()) return false;
    if (schedule_.step()) return true;
    schedule_.jump(limit);
    return world_.clock.mono() < limit;
  }

  void check_budget(const std::optional<uint64_t>& most, uint64_t sent, std::string_view when) {
    if (most && sent > *most)
      judge_.report("requests", fmt::format("{} were sent {}, {} are allowed", sent, when, *most));
  }

  /// The budgets of waits.
  void step_over(size_t step) {
    if (calm_)
      check_budget(scenario_.workload[step].most_requests, network_.requests() - counted_,
                   fmt::format("during step {}", step + 1));
    counted_ = network_.requests();
  }

  void work() {
    schedule_.add(supervisor_);
    MonoTime limit = begun_ + kWorkloadLimit;
    for (const Step& step : scenario_.workload) limit += step.lasts;
    while (!user_.done() && user_.trouble().empty() && move(limit)) {
    }
    if (!user_.trouble().empty()) judge_.report("stuck", user_.trouble());
    if (!user_.done() && judge_.violations().empty()) judge_.report("stuck", user_.waits_for());
  }

  std::optional<std::string> unmet_goal() const {
    for (const std::string& goal : scenario_.goals)
      if (const auto instead = unmet(goal, *world_.history, world_.models, calm_))
        return fmt::format("{}: {}", goal, *instead);
    return std::nullopt;
  }

  // Faults have stopped. The world must become what it should be and stay so.
  void settle() {
    network_.set_faults({});
    faults_over_ = true;
    const MonoTime limit = world_.clock.mono() + kSettleLimit;
    uint64_t seen = 0;
    MonoTime since = world_.clock.mono();
    for (;;) {
      if (std::exchange(seen, news_) != news_) since = world_.clock.mono();
      if (world_.clock.mono() - since >= kQuiet && !amends_.due() && all_idle() && !unmet_goal() &&
          !containers_.any_locked())
        return;
      if (!move(std::min(limit, world_.clock.mono() + kQuiet))) {
        if (!judge_.violations().empty()) return;
        if (world_.clock.mono() >= limit) break;
      }
    }
    const auto goal = unmet_goal();
    judge_.report(goal ? "unmet" : "unquiet",
                  goal.value_or(fmt::format("still writing an hour after the last fault")));
  }

  bool all_idle() const {
    return std::all_of(slots_.begin(), slots_.end(), [](const Slot& slot) {
      return slot.process != nullptr && slot.process->idle();
    });
  }

  // Every pass once more: nothing is left to be done, so nothing may be written.
  void replay() {
    first_news_ = 0;
    for (Slot& slot : slots_)
      if (slot.process != nullptr) slot.process->look_at_everything();
    const MonoTime limit = world_.clock.mono() + kQuiet;
    while (move(limit)) {
    }
    if (first_news_ == 0 || !judge_.violations().empty()) return;
    const auto wrote =
        std::find_if(network_.log().rbegin(), network_.log().rend(),
                     [&](const Exchange& each) { return each.write == first_news_; });
    judge_.report("replay", fmt::format("looking again wrote {} {}", wrote->method, wrote->target));
  }

  void check_commits() {
    for (; checked_ < world_.history->commits().size(); ++checked_) {
      const Commit& commit = world_.history->commits()[checked_];
      if (trace_) note_commit(commit);
      if (!beats_.is_one(commit, world_.clock.mono())) ++news_;
      if (auto found = judge_location(*world_.history, commit, away_since_))
        judge_.report(std::move(found->oracle), std::move(found->text));
      for (const std::string& each : scenario_.always)
        if (const auto breach = broken(each, *world_.history, checked_, world_.models))
          judge_.report("always:" + each, *breach);
      for (const auto& part : parts_)
        if (auto found = part->judge(commit))
          judge_.report(std::move(found->oracle), std::move(found->text));
    }
  }

  void observe(const Exchange& exchange) {
    judge_.observe(exchange);
    if (trace_ && exchange.target.find("/leases") == std::string::npos)
      note("{}/{} call {} write {} {} {} → {}{} {}", exchange.slot, exchange.incarnation,
           exchange.call, exchange.write, exchange.method, exchange.target, exchange.code,
           exchange.replied ? "" : " (no reply)", exchange.pass);
    const uint64_t news = news_;
    const size_t commits = checked_;
    check_commits();
    // A write is news unless all that it changed is none.
    if (exchange.write == 0 || (checked_ != commits && news_ == news)) return;
    ++news_;
    if (first_news_ == 0) first_news_ = exchange.write;
  }

  void note_commit(const Commit& commit) {
    constexpr std::string_view kVerbs[] = {"created", "changed", "deleted"};
    note("  {} {} {} at {}", world_.history->resources()[commit.resource].plural, commit.key.text(),
         kVerbs[size_t(commit.kind)], commit.version);
  }

  template <class... Args>
  void note(fmt::format_string<Args...> text, Args&&... args) {
    if (!trace_) return;
    trace_text_ += fmt::format("{:>10.3f}s ", double((world_.clock.mono() - begun_).count()) / 1e6);
    trace_text_ += fmt::format(text, std::forward<Args>(args)...);
    trace_text_ += '\n';
  }

  template <class Function>
  void each_feed(const std::string& of, Function function) {
    for (Slot& slot : slots_)
      if (slot.process != nullptr)
        for (const auto& feed : slot.process->feeds())
          if (of.empty() || feed->plural() == of) function(*feed);
  }

  /// Once for each who takes it; it is there when all have brought it back.
  void take_bucket(bool away) {
    takers_ += away ? 1 : -1;
    ++news_;  // for whoever asks it next
    note("the bucket is {}", takers_ > 0 ? "away" : "there");
    network_.cut_off(takers_ > 0);
    if (takers_ == 0) away_since_.reset();
    if (takers_ > 0 && !away_since_) away_since_ = world_.clock.now();
  }

  void strike(const Mishap& fault) {
    if (faults_over_) return;
    note("fault {}", to_text(fault));
    const MonoTime until = world_.clock.mono() + fault.lasts;
    switch (fault.what) {
      case Do::WatchDrop:
        return each_feed(fault.of, [](Feed& feed) { feed.drop(); });
      case Do::Relist:
        return each_feed(fault.of, [](Feed& feed) { feed.expire(); });
      case Do::WatchDelay:
        return each_feed(fault.of, [&](Feed& feed) { feed.delay_until(until); });
      case Do::WatchDuplicate:
        return each_feed(fault.of, [&](Feed& feed) { feed.duplicate_until(until); });
      case Do::WatchCoalesce:
        return each_feed(fault.of, [&](Feed& feed) { feed.coalesce_until(until); });
      case Do::StaleList:
        network_.let_lists_lag(fault.of, fault.pick, until);
        return each_feed(fault.of, [](Feed& feed) { feed.expire(); });
      case Do::PodLost:
        return kubelet_.lose_pod(fault.pick);
      case Do::PodDeleted:
        return kubelet_.delete_pod(fault.pick);
      case Do::NodeLost:
        return kubelet_.lose_node(fault.pick, until);
      case Do::UserEdit:
        return user_.edit(fault.pick);
      case Do::Recreate:
        return user_.recreate(fault.of);
      case Do::RevokeAccess:
        world_.revoke();
        return amends_.at(until, [this] { world_.grant(); });
      case Do::BucketAway:
        take_bucket(true);
        return amends_.at(until, [this] { take_bucket(false); });
      default:
        return strike_process(fault, until);
    }
  }

  void strike_process(const Mishap& fault, MonoTime until) {
    Slot& slot = slots_[fault.pick % slots_.size()];
    if (fault.what == Do::ClockJump) return slot.clock->jump(fault.by);
    if (slot.process == nullptr) return;
    if (fault.what == Do::Pause) {
      slot.process->life().paused_until = until;
      slot.process->life().elector_wakes = until + fault.by;
    }
    if (fault.what == Do::CrashAfterReply || fault.what == Do::CrashBeforeReply)
      slot.process->life().dead = true;
  }

  World& world_;
  const Scenario& scenario_;
  SeededRandom choices_, kubelet_random_, storage_random_, processes_;
  Schedule schedule_;
  Network network_;
  Judge judge_;
  Beats beats_;
  Book book_;
  Background background_;
  Parts parts_;  ///< of the drivers, in the order of their models, and what all of them have
  Containers containers_;
  Storage storage_;
  Bucket bucket_;
  PodWork pod_work_;
  Kubelet kubelet_;
  User user_;
  Timers fate_, supervisor_;
  Timers amends_;  ///< ends of faults that last
  Build build_;
  std::vector<Slot> slots_;
  bool trace_, calm_, faults_over_ = false;
  MonoTime begun_;
  size_t first_commit_, checked_;
  uint64_t counted_ = 0;  ///< requests before the step that the user is at
  /// Commits, and writes of operators, that were more than a beat; and which write was the first.
  uint64_t news_ = 0, first_news_ = 0;
  int takers_ = 0;  ///< who have taken the bucket away
  std::optional<WallTime> away_since_{};
  std::string trace_text_;
};

}  // namespace

Ending run(World& world, const Scenario& scenario, uint64_t seed, const std::vector<Mishap>& faults,
           bool trace) {
  return Run(world, scenario, seed, faults, trace).go();
}

std::string to_text(const Ending& ending) {
  using model::Array;
  using model::Object;
  Array violations;
  for (const Violation& each : ending.violations)
    violations.push_back(Array{model::Value(each.oracle), model::Value(each.text)});
  Object counts;
  for (const auto& [name, count] : ending.counts) counts[name] = count;
  return model::to_json(Object{{"violations", std::move(violations)},
                               {"writes", ending.extent.writes},
                               {"calls", ending.extent.calls},
                               {"streams", ending.extent.streams},
                               {"lasted", ending.extent.lasted.count()},
                               {"commits", ending.commits},
                               {"steps", ending.steps},
                               {"requests", ending.requests},
                               {"endState", ending.end_state},
                               {"counts", std::move(counts)},
                               {"trace", ending.trace}});
}

Result<Ending> ending_from_text(std::string_view text) {
  const model::Parsed parsed = HF_TRY(model::parse_json(text));
  const model::Value& root = parsed.value;
  const auto number = [&](std::string_view member) { return model::int_at(root, {member}, 0); };
  Ending ending;
  for (const model::Value& each : model::array_at(root, {"violations"}))
    ending.violations.push_back({std::string(each.get_array()[0].get_string()),
                                 std::string(each.get_array()[1].get_string())});
  for (const auto& each : model::object_at(root, {"counts"}))
    ending.counts[std::string(each.key())] = each.value().get_int64();
  ending.extent = {uint64_t(number("writes")), uint64_t(number("calls")),
                   uint64_t(number("streams")), MonoTime(number("lasted"))};
  ending.commits = uint64_t(number("commits"));
  ending.steps = uint64_t(number("steps"));
  ending.requests = uint64_t(number("requests"));
  ending.end_state = model::string_at(root, {"endState"});
  ending.trace = model::string_at(root, {"trace"});
  return ending;
}

}  // namespace holdfast::sim
