/// Measurements: what a case took, in time and in the server's own CPU and memory, and the file
/// they go to.
#pragma once

#include <holdfast/base/clock.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::bench {

/// The processes that make up the server: one for ours, API server and etcd for the real one.
class Processes {
 public:
  explicit Processes(std::vector<int> pids) : pids_(std::move(pids)) {}
  double cpu_seconds() const;  ///< user and system, so far
  int64_t rss_bytes() const;
  int64_t rss_anon_bytes() const;

 private:
  int64_t status_bytes(std::string_view field) const;
  std::vector<int> pids_;
};

/// Appends {"case":…,"subject":…,"metric":…,"unit":…,"value":…} lines to a file.
class Report {
 public:
  Report(std::string path, std::string subject)
      : path_(std::move(path)), subject_(std::move(subject)) {}
  void add(std::string_view name, std::string_view metric, std::string_view unit,
           double value) const;

 private:
  std::string path_, subject_;
};

using Latencies = std::vector<std::chrono::microseconds>;

/// Takes the time and the server's CPU from construction to `finish`, which reports rate, p50, p99,
/// wall and cpu.
class Measured {
 public:
  Measured(const Clock& clock, const Processes& processes)
      : clock_(clock), processes_(processes), cpu_(processes.cpu_seconds()), start_(clock.mono()) {}
  void finish(const Report& report, std::string_view name, Latencies latencies) const;

 private:
  const Clock& clock_;
  const Processes& processes_;
  double cpu_;
  MonoTime start_;
};

}  // namespace holdfast::bench
