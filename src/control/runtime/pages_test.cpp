#include "runtime/pages.h"

#include <gtest/gtest.h>

namespace holdfast::control {
namespace {

net::Response get(Pages& pages, const std::string& target) {
  net::Request request;
  request.method = "GET";
  request.target = target;
  net::split_target(request);
  net::Response out;
  pages.serve(std::move(request), [&out](net::Response response) { out = std::move(response); });
  return out;
}

TEST(Pages, ReadinessNamesTheCheckThatFails) {
  Pages pages([] { return "figures\n"; });
  std::optional<std::string> trouble = "waiting for pods";
  pages.ready_if("caches", [&trouble] { return trouble; });

  const net::Response before = get(pages, "/readyz");
  const net::Response alive = get(pages, "/healthz");
  trouble.reset();
  const net::Response after = get(pages, "/readyz");
  const net::Response verbose = get(pages, "/readyz?verbose");

  EXPECT_EQ(before.status, 500);
  EXPECT_EQ(before.body, "[-]caches failed: waiting for pods\nreadyz check failed\n");
  EXPECT_EQ(alive.status, 200);
  EXPECT_EQ(after.body, "ok");
  EXPECT_EQ(verbose.body, "[+]caches ok\nreadyz check passed\n");
  EXPECT_EQ(get(pages, "/readyz/caches").status, 200);
  EXPECT_EQ(get(pages, "/nothing").status, 404);
  EXPECT_EQ(get(pages, "/metrics").body, "figures\n");
}

}  // namespace
}  // namespace holdfast::control
