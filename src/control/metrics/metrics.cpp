#include <holdfast/control/metrics.h>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace holdfast::control {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

/// controller-runtime's bounds, so that its dashboards' quantiles mean the same.
const Histogram::BucketBoundaries& pass_bounds() {
  static const Histogram::BucketBoundaries bounds{
      0.005, 0.01, 0.025, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
      0.7,   0.8,  0.9,   1.0,  1.25, 1.5,  1.75, 2.0,  2.5, 3.0,  3.5, 4.0,  4.5, 5,
      6,     7,    8,     9,    10,   15,   20,   25,   30,  40,   50,  60};
  return bounds;
}

const Histogram::BucketBoundaries& queue_bounds() {
  static const Histogram::BucketBoundaries bounds{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3,
                                                  1e-2, 1e-1, 1,    10,   100,  1000};
  return bounds;
}

double seconds(std::chrono::microseconds time) {
  return std::chrono::duration<double>(time).count();
}

prometheus::Labels of(std::string_view controller) {
  return {{"controller", std::string(controller)}};
}
/// Queues have both labels, as controller-runtime's have.
prometheus::Labels queue_of(std::string_view controller) {
  return {{"controller", std::string(controller)}, {"name", std::string(controller)}};
}

}  // namespace

struct Metrics::Body {
  prometheus::Registry registry{};
  Family<Counter>& counter(const char* name, const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
  }
  Family<Gauge>& gauge(const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
  }
  Family<Histogram>& histogram(const char* name, const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
  }

  Family<Counter>& passes =
      counter("controller_runtime_reconcile_total", "Passes per controller and result.");
  Family<Counter>& errors =
      counter("controller_runtime_reconcile_errors_total", "Passes that ended in an error.");
  Family<Counter>& terminal = counter("controller_runtime_terminal_reconcile_errors_total",
                                      "Passes that ended in an error which no retry cures.");
  Family<Counter>& exceptions =
      counter("controller_runtime_reconcile_panics_total", "Passes that ended in an exception.");
  Family<Counter>& timeouts = counter("controller_runtime_reconcile_timeouts_total",
                                      "Passes that took longer than expected.");
  Family<Histogram>& time =
      histogram("controller_runtime_reconcile_time_seconds", "How long passes take.");
  Family<Gauge>& most_workers = gauge("controller_runtime_max_concurrent_reconciles",
                                      "Maximum number of concurrent passes per controller.");
  Family<Gauge>& active_workers =
      gauge("controller_runtime_active_workers", "Passes under way per controller.");
  Family<Gauge>& waits = gauge("holdfast_waiting", "Keys that wait, by what they wait for.");
  Family<Gauge>& queue_depth = gauge("workqueue_depth", "Keys that wait for a pass.");
  Family<Counter>& adds = counter("workqueue_adds_total", "Keys queued.");
  Family<Counter>& retries = counter("workqueue_retries_total", "Keys queued again to be retried.");
  Family<Histogram>& in_queue =
      histogram("workqueue_queue_duration_seconds", "How long ready keys wait for a pass.");
  Family<Histogram>& work =
      histogram("workqueue_work_duration_seconds", "How long a key is being worked on.");
  Family<Gauge>& unfinished = gauge("workqueue_unfinished_work_seconds",
                                    "Time that passes under way have taken so far, added up.");
  Family<Gauge>& longest = gauge("workqueue_longest_running_processor_seconds",
                                 "Time that the longest pass under way has taken so far.");
  Family<Counter>& requests =
      counter("rest_client_requests_total", "Requests to the API server per code and method.");
  Family<Gauge>& leads = gauge("leader_election_master_status", "1 while this process leads.");
};

Metrics::Metrics() : body_(std::make_unique<Body>()) {}
Metrics::~Metrics() = default;

void Metrics::pass_ended(std::string_view controller, Ended how, std::chrono::microseconds took) {
  const char* result = "success";
  switch (how) {
    case Ended::Success:
      break;
    case Ended::Requeue:
      result = "requeue";
      break;
    case Ended::RequeueAfter:
      result = "requeue_after";
      break;
    case Ended::Error:
    case Ended::TerminalError:
    case Ended::Exception:
      result = "error";
      break;
  }
  prometheus::Labels labels = of(controller);
  labels["result"] = result;
  body_->passes.Add(labels).Increment();
  if (how == Ended::Error || how == Ended::TerminalError || how == Ended::Exception)
    body_->errors.Add(of(controller)).Increment();
  if (how == Ended::TerminalError) body_->terminal.Add(of(controller)).Increment();
  if (how == Ended::Exception) body_->exceptions.Add(of(controller)).Increment();
  body_->time.Add(of(controller), pass_bounds()).Observe(seconds(took));
  body_->work.Add(queue_of(controller), queue_bounds()).Observe(seconds(took));
}

void Metrics::took(const std::string& name, const std::string& help, const Labels& labels,
                   std::chrono::microseconds time) {
  prometheus::BuildHistogram()
      .Name(name)
      .Help(help)
      .Register(body_->registry)
      .Add(labels, pass_bounds())
      .Observe(seconds(time));
}

void Metrics::count(const std::string& name, const std::string& help, const Labels& labels,
                    double now) {
  prometheus::BuildGauge().Name(name).Help(help).Register(body_->registry).Add(labels).Set(now);
}

void Metrics::workers(std::string_view controller, int most, int active) {
  body_->most_workers.Add(of(controller)).Set(most);
  body_->active_workers.Add(of(controller)).Set(active);
}

void Metrics::waiting(std::string_view controller, const std::string& reason, int keys) {
  prometheus::Labels labels = of(controller);
  labels["reason"] = reason;
  body_->waits.Add(labels).Set(keys);
}

void Metrics::running(std::string_view controller, std::chrono::microseconds all,
                      std::chrono::microseconds longest) {
  body_->unfinished.Add(queue_of(controller)).Set(seconds(all));
  body_->longest.Add(queue_of(controller)).Set(seconds(longest));
}

void Metrics::queued(std::string_view controller) {
  body_->adds.Add(queue_of(controller)).Increment();
}

void Metrics::depth(std::string_view controller, size_t depth) {
  body_->queue_depth.Add(queue_of(controller)).Set(double(depth));
}

void Metrics::waited(std::string_view controller, std::chrono::microseconds in_queue) {
  body_->in_queue.Add(queue_of(controller), queue_bounds()).Observe(seconds(in_queue));
}

void Metrics::retried(std::string_view controller) {
  body_->retries.Add(queue_of(controller)).Increment();
}

void Metrics::overran(std::string_view controller) {
  body_->timeouts.Add(of(controller)).Increment();
}

void Metrics::request(std::string_view method, int code, std::string_view host) {
  body_->requests
      .Add({{"code", code == 0 ? "<error>" : std::to_string(code)},
            {"host", std::string(host)},
            {"method", std::string(method)}})
      .Increment();
}

void Metrics::leading(std::string_view name, bool leads) {
  body_->leads.Add({{"name", std::string(name)}}).Set(leads ? 1 : 0);
}

std::string Metrics::text() const {
  return prometheus::TextSerializer().Serialize(body_->registry.Collect());
}

}  // namespace holdfast::control
