/// kubelet's HTTPS paths, for the API server alone: logs, exec, what runs here.
///
///   GET /healthz
///   GET /pods
///   GET /containerLogs/{namespace}/{pod}/{container}?follow=…
///   GET /exec/{namespace}/{pod}/{container}?command=…&input=1&output=1&error=1&tty=1  (WebSocket)
#pragma once

#include <holdfast/net/http.h>

#include "pods/worker.h"

namespace holdfast::node {

class KubeletApi final : public net::Service {
 public:
  /// By namespace and name of the pod; null if it is not here.
  using FindPod =
      std::function<std::shared_ptr<PodWorker>(const std::string& ns, const std::string& name)>;
  KubeletApi(FindPod find, std::function<std::string()> list, const Clock& clock)
      : find_(std::move(find)), list_(std::move(list)), clock_(clock) {}
  void serve(net::Request request, net::Respond respond) override;

 private:
  net::Response answer(const net::Request& request);
  net::Response logs(const net::Request& request, const std::vector<std::string_view>& parts);
  net::Response exec(const net::Request& request, const std::vector<std::string_view>& parts);

  FindPod find_;
  std::function<std::string()> list_;
  const Clock& clock_;
};

}  // namespace holdfast::node
