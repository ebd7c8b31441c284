#include "probes/prober.h"

namespace holdfast::node {
namespace {

using namespace std::chrono_literals;
using Kind = ProbeNews::Kind;

}  // namespace

Prober::Prober(std::shared_ptr<const model::Value> pod, ContainerDef container, int64_t attempt,
               ErrandPlace place, std::function<void(ProbeNews)> tell)
    : pod_(std::move(pod)),
      container_(std::move(container)),
      attempt_(attempt),
      place_(std::move(place)),
      tell_(std::move(tell)),
      started_(!container_.startup.has_value()) {
  const auto add = [this](Kind kind, const std::optional<Probe>& probe) {
    if (probe)
      threads_.emplace_back(
          [this, kind, &probe](const std::stop_token& stop) { run(stop, kind, *probe); });
  };
  add(Kind::Startup, container_.startup);
  add(Kind::Liveness, container_.liveness);
  add(Kind::Readiness, container_.readiness);
}

Prober::~Prober() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

bool Prober::probe_once(const std::stop_token& stop, const Probe& probe, std::string& why) const {
  ErrandOutcome outcome = run_errand(container_, probe.errand, place_, probe.timeout, stop);
  why = std::move(outcome.output);
  return outcome.well;
}

void Prober::run(const std::stop_token& stop, Kind kind, const Probe& probe) {
  const Sleep pause = sleep_until_stopped();
  const SystemClock clock;
  // Alive until shown otherwise; ready and started only once shown.
  bool healthy = kind == Kind::Liveness;
  int in_a_row = 0;
  bool last = healthy;
  pause(probe.initial_delay, stop);
  for (MonoTime due = clock.mono(); !stop.stop_requested(); due += probe.period) {
    const bool waits = kind != Kind::Startup && !started_;
    const bool over = kind == Kind::Startup ? started_.load() : kind == Kind::Liveness && ending_;
    if (over) return;
    if (!waits) {
      std::string why;
      const bool well = probe_once(stop, probe, why);
      if (stop.stop_requested()) return;
      in_a_row = well == last ? in_a_row + 1 : 1;
      last = well;
      const bool decided = in_a_row >= (well ? probe.success_threshold : probe.failure_threshold);
      const bool gave_up = decided && !well && kind != Kind::Readiness;
      const bool changed = decided && (well != healthy || gave_up);
      if (changed) healthy = well;
      if (kind == Kind::Startup && healthy) started_ = true;
      if (changed || !well)
        tell_({container_.name, attempt_, kind, changed, healthy, well ? "" : why});
      if (gave_up) return;
    }
    // Whoever waits for the startup probe looks more often, so that its first probe comes at once.
    const auto rest = waits ? 100ms
                            : std::chrono::duration_cast<std::chrono::milliseconds>(
                                  due + probe.period - clock.mono());
    if (waits) due = clock.mono() - probe.period + rest;
    if (rest > 0ms) pause(rest, stop);
  }
}

}  // namespace holdfast::node
