/// Counters in Prometheus' text form, under kube-apiserver's names.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>

#include "rest/request_info.h"

#include <array>
#include <map>
#include <string>
#include <tuple>

namespace holdfast::apiserver {

struct Api;
class UnderWay;

/// Safe to use from many threads.
class Metrics {
 public:
  explicit Metrics(const UnderWay& under_way) : under_way_(under_way) {}
  /// `known`: the resource is one that we serve; names that clients invent must not become labels.
  void count(const RequestInfo& info, bool known, int code, MonoTime took);
  std::string text(const Api& api) const;

 private:
  // kube-apiserver's buckets, in milliseconds.
  static constexpr std::array<int, 17> kBucketsMs = {
      5, 25, 50, 100, 200, 400, 600, 800, 1000, 1250, 1500, 2000, 3000, 4000, 6000, 10000, 60000};
  struct Latency {
    std::array<uint64_t, kBucketsMs.size() + 1> buckets{};
    double seconds = 0;
    uint64_t count = 0;
  };
  using Requests = std::tuple<std::string, std::string, std::string, std::string, std::string,
                              int>;  // verb group version resource subresource code
  using Timed = std::tuple<std::string, std::string, std::string, std::string, std::string>;

  const UnderWay& under_way_;
  mutable Mutex mutex_;
  std::map<Requests, uint64_t> requests_ HF_GUARDED_BY(mutex_);
  std::map<Timed, Latency> latency_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::apiserver
