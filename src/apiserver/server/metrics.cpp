#include "server/metrics.h"

#include "crd/served_kinds.h"
#include "rest/watch.h"
#include "server/under_way.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver {
namespace {

std::string upper_verb(const RequestInfo& info) {
  if (!info.is_resource) return "GET";
  if (info.verb == "create") return "POST";
  if (info.verb == "update") return "PUT";
  std::string verb = info.verb;
  std::transform(verb.begin(), verb.end(), verb.begin(),
                 [](char c) { return char(c >= 'a' && c <= 'z' ? c - 32 : c); });
  return verb;
}

}  // namespace

void Metrics::count(const RequestInfo& info, bool known, int code, MonoTime took) {
  const std::string verb = upper_verb(info);
  const std::string group = known ? info.group : "", version = known ? info.version : "",
                    resource = known ? info.resource : "",
                    subresource = known ? info.subresource : "";
  const double seconds = std::chrono::duration<double>(took).count();
  const Lock lock(mutex_);
  ++requests_[{verb, group, version, resource, subresource, code}];
  if (info.verb == "watch") return;
  Latency& latency = latency_[{verb, group, version, resource, subresource}];
  size_t bucket = 0;
  while (bucket < kBucketsMs.size() && seconds * 1000 > kBucketsMs[bucket]) ++bucket;
  ++latency.buckets[bucket];
  latency.seconds += seconds;
  ++latency.count;
}

std::string Metrics::text(const Api& api) const {
  std::string out =
      "# HELP apiserver_request_total Counter of apiserver requests by verb, group, version, "
      "resource and code.\n"
      "# TYPE apiserver_request_total counter\n";
  const Lock lock(mutex_);
  for (const auto& [key, value] : requests_) {
    const auto& [verb, group, version, resource, subresource, code] = key;
    out += fmt::format(
        "apiserver_request_total{{code=\"{}\",group=\"{}\",resource=\"{}\",subresource=\"{}\",verb="
        "\"{}\",version=\"{}\"}} {}\n",
        code, group, resource, subresource, verb, version, value);
  }
  out +=
      "# HELP apiserver_request_duration_seconds Time from the request's arrival to its answer, "
      "without the wait for the disk.\n"
      "# TYPE apiserver_request_duration_seconds histogram\n";
  for (const auto& [key, latency] : latency_) {
    const auto& [verb, group, version, resource, subresource] = key;
    const std::string labels =
        fmt::format("group=\"{}\",resource=\"{}\",subresource=\"{}\",verb=\"{}\",version=\"{}\"",
                    group, resource, subresource, verb, version);
    uint64_t below = 0;
    for (size_t i = 0; i < kBucketsMs.size(); ++i) {
      below += latency.buckets[i];
      out += fmt::format("apiserver_request_duration_seconds_bucket{{{},le=\"{}\"}} {}\n", labels,
                         double(kBucketsMs[i]) / 1000, below);
    }
    out += fmt::format("apiserver_request_duration_seconds_bucket{{{},le=\"+Inf\"}} {}\n", labels,
                       latency.count);
    out +=
        fmt::format("apiserver_request_duration_seconds_sum{{{}}} {}\n", labels, latency.seconds);
    out +=
        fmt::format("apiserver_request_duration_seconds_count{{{}}} {}\n", labels, latency.count);
  }
  out +=
      "# HELP apiserver_storage_objects Number of stored objects by resource.\n# TYPE "
      "apiserver_storage_objects gauge\n";
  for (const Catalogue::Group& group : api.kinds.catalogue()->groups)
    for (const ResourcePtr& resource : group.versions.front().resources)
      if (resource->verbs.size() > 1)
        out += fmt::format("apiserver_storage_objects{{resource=\"{}\"}} {}\n",
                           resource->group_resource().text(), api.store.count(resource->storage));
  out += fmt::format(
      "# HELP apiserver_longrunning_requests Watches open now.\n# TYPE "
      "apiserver_longrunning_requests gauge\n"
      "apiserver_longrunning_requests{{verb=\"WATCH\"}} {}\n",
      api.watches.open());
  const UnderWay::Count count = under_way_.count();
  out += fmt::format(
      "# HELP apiserver_current_inflight_requests Requests that have no answer yet.\n# TYPE "
      "apiserver_current_inflight_requests gauge\n"
      "apiserver_current_inflight_requests{{request_kind=\"mutating\"}} {}\n"
      "apiserver_current_inflight_requests{{request_kind=\"readOnly\"}} {}\n",
      count.mutating, count.read_only);
  out += fmt::format(
      "# HELP holdfast_store_revision Newest revision decided, and newest durable one.\n# TYPE "
      "holdfast_store_revision gauge\n"
      "holdfast_store_revision{{state=\"current\"}} "
      "{}\nholdfast_store_revision{{state=\"durable\"}} {}\n",
      api.store.current(), api.store.durable());
  return out;
}

}  // namespace holdfast::apiserver
