#include "operators/process.h"

#include <fmt/format.h>

#include <utility>

namespace holdfast::sim {
namespace {

/// What all parts of a process share: they stand still with it, and die with it.
class Part : public Actor {
 public:
  Part(Life& life, control::Runtime& runtime, const ManualClock& world, std::string name)
      : life_(life), runtime_(runtime), world_(world), name_(std::move(name)) {}
  std::string_view name() const override { return name_; }
  std::optional<MonoTime> due() final {
    if (life_.dead) return std::nullopt;
    const std::optional<MonoTime> due = wants();
    if (!due) return due;
    return std::max(*due, life_.paused_until);
  }

 protected:
  virtual std::optional<MonoTime> wants() = 0;
  Life& life_;
  control::Runtime& runtime_;
  const ManualClock& world_;

 private:
  std::string name_;
};

class Worker final : public Part {
 public:
  Worker(Life& life, control::Runtime& runtime, const ManualClock& world,
         control::Controller& controller, const kube::Resource& subject, Random& choices)
      : Part(life, runtime, world, controller.name()),
        controller_(controller),
        subject_(subject),
        choices_(choices) {}

  std::optional<MonoTime> wants() override {
    if (!runtime_.may_reconcile(controller_)) return std::nullopt;
    return controller_.queue().due();
  }
  void step() override {
    const std::vector<kube::Key> ready = controller_.queue().ready(world_.mono());
    if (ready.empty()) return;
    const kube::Key key = ready[choices_.below(ready.size())];
    const auto below = std::exchange(life_.pass, ObjectPass{subject_, key});
    controller_.step(key);
    life_.pass = below;
  }

 private:
  control::Controller& controller_;
  const kube::Resource subject_;  ///< what its keys name
  Random& choices_;
};

class Candidate final : public Part {
 public:
  using Part::Part;
  std::optional<MonoTime> wants() override {
    return std::max(runtime_.elector()->due(), life_.elector_wakes);
  }
  void step() override {
    runtime_.elector()->step();
    // The process ends, as production's does.
    if (runtime_.elector()->state() == control::Elector::State::Lost) life_.dead = true;
  }
};

class Reporter final : public Part {
 public:
  using Part::Part;
  std::optional<MonoTime> wants() override { return runtime_.events().due(); }
  void step() override { runtime_.events().step(); }
};

control::RuntimeSettings settings_of(const Life& life, bool elects) {
  control::RuntimeSettings settings;
  settings.instance = fmt::format("operator-{}", life.slot);
  settings.say_basis = true;
  if (elects) {
    settings.election.emplace();
    settings.election->ns = "default";
    settings.election->identity = fmt::format("operator-{}_{}", life.slot, life.incarnation);
  }
  return settings;
}

}  // namespace

Process::Process(Life life, const Build& build, const Clock& clock, const ManualClock& world,
                 Network& network, Schedule& schedule, Containers& containers, Bucket& bucket,
                 uint64_t seed)
    : life_(std::move(life)),
      world_(world),
      network_(network),
      schedule_(schedule),
      random_(seed),
      choices_(seed + 1),
      wire_(network, life_),
      bucket_(bucket.store_of(life_)) {
  runtime_ = std::make_unique<control::Runtime>(
      settings_of(life_, build.elects), wire_, clock, random_,
      [this](std::chrono::milliseconds pause, const std::stop_token&) { wait(pause); });
  around_ = std::make_unique<protect::Surroundings>(
      *runtime_, clock, containers.exec_of(life_),
      [this](const protect::BucketAsked&) {
        return protect::BucketAnswer{true, protect::list_nothing(*bucket_)};
      },
      [this](std::chrono::milliseconds pause, const std::stop_token&) { wait(pause); },
      std::make_unique<SeededRandom>(seed + 2));
  std::vector<control::ControllerSpec> all = build.controllers;
  for (const protect::Driver& driver : build.drivers)
    for (control::ControllerSpec& spec : driver.controllers(build.settings, around_->outside()))
      all.push_back(std::move(spec));
  for (const control::ControllerSpec& spec : all) {
    subjects_.push_back(spec.watches.front().scope);
    runtime_->add(spec);
  }
  cast();
}

void Process::wait(std::chrono::milliseconds pause) {
  if (!life_.dead) schedule_.wait_until(schedule_.now() + pause);
}

void Process::cast() {
  for (const auto& entry : runtime_->informers().entries()) {
    feeds_.push_back(std::make_unique<Feed>(*entry, wire_, network_, life_, world_));
    schedule_.add(*feeds_.back());
  }
  for (size_t i = 0; i < subjects_.size(); ++i)
    actors_.push_back(std::make_unique<Worker>(
        life_, *runtime_, world_, *runtime_->controllers()[i], subjects_[i].resource, choices_));
  if (runtime_->elector() != nullptr)
    actors_.push_back(std::make_unique<Candidate>(life_, *runtime_, world_, "elector"));
  actors_.push_back(std::make_unique<Reporter>(life_, *runtime_, world_, "events"));
  for (const auto& actor : actors_) schedule_.add(*actor);
}

Process::~Process() {
  for (const auto& feed : feeds_) schedule_.remove(*feed);
  for (const auto& actor : actors_) schedule_.remove(*actor);
}

bool Process::idle() const {
  for (const auto& feed : feeds_)
    if (!feed->caught_up()) return false;
  if (!runtime_->leads()) return true;
  for (const auto& controller : runtime_->controllers())
    if (!controller->queue().ready(world_.mono()).empty()) return false;
  return true;
}

void Process::look_at_everything() {
  for (size_t i = 0; i < subjects_.size(); ++i)
    for (const kube::Cached& each : runtime_->informers().of(subjects_[i]).list())
      runtime_->controllers()[i]->enqueue(kube::key_of(each));
}

}  // namespace holdfast::sim
