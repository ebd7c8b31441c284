/// HTTP pages of a process with controllers: health and metrics.
#pragma once

#include <holdfast/net/http.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::control {

/// GET /healthz, /livez, /readyz ("ok", or 500 with a line per check; ?verbose shows the lines
/// always; /readyz/NAME asks one) and /metrics.
class Pages final : public net::Service {
 public:
  /// nullopt: well. Otherwise what is wrong.
  using Check = std::function<std::optional<std::string>()>;

  explicit Pages(std::function<std::string()> metrics) : metrics_(std::move(metrics)) {}
  void ready_if(std::string name, Check check) {
    ready_.emplace_back(std::move(name), std::move(check));
  }
  void serve(net::Request request, net::Respond respond) override;

 private:
  using Checks = std::vector<std::pair<std::string, Check>>;
  net::Response check(const Checks& checks, std::string_view page, bool verbose) const;

  std::function<std::string()> metrics_;
  Checks ready_;
};

}  // namespace holdfast::control
