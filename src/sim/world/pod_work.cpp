#include "world/pod_work.h"

namespace holdfast::sim {
namespace {

constexpr MonoTime kPause = std::chrono::seconds(5);

}  // namespace

class PodWork::Worker final : public Actor {
 public:
  Worker(ObjectPtr pod, DriverPart& part, Bucket& bucket, const Schedule& schedule, Done done)
      : pod_(std::move(pod)),
        part_(part),
        store_(bucket.store_of(life_)),
        schedule_(schedule),
        begins_(schedule.now()),
        done_(std::move(done)) {
    life_.slot = -1;
  }
  std::string_view name() const override { return "pod"; }
  std::optional<MonoTime> due() override {
    if (begun_ || life_.dead) return std::nullopt;
    return begins_;
  }
  void step() override {
    begun_ = true;
    const PodExit exit = part_.work(*pod_, *store_);
    if (killed_) return;
    if (exit.again && !life_.dead) {
      begins_ = schedule_.now() + kPause;
      begun_ = false;
      return;
    }
    // What strikes at its requests kills it as it would kill an operator.
    done_(life_.dead ? PodExit{137, ""} : exit);
  }
  void kill() { killed_ = life_.dead = true; }

 private:
  const ObjectPtr pod_;
  DriverPart& part_;
  Life life_{};
  std::unique_ptr<blob::Store> store_;
  const Schedule& schedule_;
  MonoTime begins_;
  const Done done_;
  bool begun_ = false, killed_ = false;
};

PodWork::PodWork(Schedule& schedule, Bucket& bucket) : schedule_(schedule), bucket_(bucket) {}

PodWork::~PodWork() {
  for (const auto& each : workers_) schedule_.remove(*each);
}

void PodWork::begin(const std::string& uid, ObjectPtr pod, DriverPart& part, Done done) {
  workers_.push_back(
      std::make_unique<Worker>(std::move(pod), part, bucket_, schedule_, std::move(done)));
  by_uid_[uid] = workers_.back().get();
  schedule_.add(*workers_.back());
}

void PodWork::kill(const std::string& uid) {
  if (const auto found = by_uid_.find(uid); found != by_uid_.end()) found->second->kill();
}

}  // namespace holdfast::sim
