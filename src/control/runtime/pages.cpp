#include "runtime/pages.h"

#include <fmt/format.h>

namespace holdfast::control {
namespace {

net::Response page(int status, std::string text,
                   std::string_view type = "text/plain; charset=utf-8") {
  net::Response out;
  out.status = status;
  out.headers.set("Content-Type", type);
  out.headers.set("X-Content-Type-Options", "nosniff");
  out.body = std::move(text);
  return out;
}

}  // namespace

net::Response Pages::check(const Checks& checks, std::string_view name, bool verbose) const {
  std::string lines;
  bool well = true;
  for (const auto& [what, check] : checks) {
    const std::optional<std::string> trouble = check();
    if (trouble) well = false;
    lines += trouble ? fmt::format("[-]{} failed: {}\n", what, *trouble)
                     : fmt::format("[+]{} ok\n", what);
  }
  if (!well) return page(500, fmt::format("{}{} check failed\n", lines, name));
  if (verbose) return page(200, fmt::format("{}{} check passed\n", lines, name));
  return page(200, "ok");
}

void Pages::serve(net::Request request, net::Respond respond) {
  if (request.method != "GET" && request.method != "HEAD") return respond(page(405, "only GET\n"));
  const bool verbose = request.target.find("?verbose") != std::string::npos ||
                       request.target.find("&verbose") != std::string::npos;
  if (request.path == "/metrics")
    return respond(page(200, metrics_(), "text/plain; version=0.0.4; charset=utf-8"));
  if (request.path == "/healthz" || request.path == "/livez")
    return respond(check({{"ping", [] { return std::optional<std::string>(); }}},
                         request.path.substr(1), verbose));
  if (request.path == "/readyz") return respond(check(ready_, "readyz", verbose));
  for (const auto& one : ready_)
    if (request.path == "/readyz/" + one.first)
      return respond(check({one}, request.path.substr(1), verbose));
  respond(page(404, fmt::format("no page {}; there are /healthz, /livez, /readyz and /metrics\n",
                                request.path)));
}

}  // namespace holdfast::control
