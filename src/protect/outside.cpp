#include <holdfast/protect/outside.h>

namespace holdfast::protect {

Surroundings::Surroundings(control::Runtime& runtime, const Clock& clock)
    : Surroundings(runtime, clock, make_pod_exec(runtime.client()), protect::ask_bucket,
                   kube::sleep_until_stopped(), std::make_unique<SystemRandom>()) {}

Surroundings::Surroundings(control::Runtime& runtime, const Clock& clock,
                           std::unique_ptr<PodExec> exec, AskBucket ask_bucket, kube::Sleep sleep,
                           std::unique_ptr<Random> random)
    : runtime_(runtime),
      clock_(clock),
      exec_(std::move(exec)),
      ask_bucket_(std::move(ask_bucket)),
      sleep_(std::move(sleep)),
      random_(std::move(random)),
      group_kinds_(runtime.client()) {}

std::function<Outside()> Surroundings::outside() {
  return [this]() -> Outside {
    return {runtime_.client(),  *exec_, ask_bucket_,  clock_,  sleep_,
            runtime_.metrics(), held_,  group_kinds_, *random_};
  };
}

}  // namespace holdfast::protect
