/// Metrics, under the names that controller-runtime's dashboards know.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace holdfast::control {

/// Safe to use from many threads.
///   controller_runtime_reconcile_total{controller,result=success|error|requeue|requeue_after}
///   controller_runtime_reconcile_{errors,panics,timeouts}_total, …_terminal_reconcile_errors_total
///   controller_runtime_reconcile_time_seconds, _max_concurrent_reconciles, _active_workers
///   workqueue_{depth,adds_total,queue_duration_seconds,work_duration_seconds,retries_total,
///     unfinished_work_seconds,longest_running_processor_seconds}
///   rest_client_requests_total{code,method,host}; leader_election_master_status{name}
///   holdfast_waiting{controller,reason}
class Metrics {
 public:
  Metrics();
  ~Metrics();
  enum class Ended { Success, Error, TerminalError, Requeue, RequeueAfter, Exception };
  void pass_ended(std::string_view controller, Ended how, std::chrono::microseconds took);
  void workers(std::string_view controller, int most, int active);
  /// Keys whose last pass ended in a Wait for that reason.
  void waiting(std::string_view controller, const std::string& reason, int keys);
  /// Of the passes under way: the time they have taken so far.
  void running(std::string_view controller, std::chrono::microseconds all,
               std::chrono::microseconds longest);
  void queued(std::string_view controller);
  void depth(std::string_view controller, size_t depth);
  void waited(std::string_view controller, std::chrono::microseconds in_queue);
  void retried(std::string_view controller);
  void overran(std::string_view controller);
  void request(std::string_view method, int code, std::string_view host);
  void leading(std::string_view name, bool leads);
  /// Figures of drivers, under their own names: made when first told.
  using Labels = std::map<std::string, std::string>;
  void took(const std::string& name, const std::string& help, const Labels& labels,
            std::chrono::microseconds time);
  void count(const std::string& name, const std::string& help, const Labels& labels, double now);
  /// The text exposition format.
  std::string text() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

}  // namespace holdfast::control
