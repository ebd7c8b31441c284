// Pod that puts a log back: the volumes that it mounts, and where.
#include <holdfast/protect/cut/log_pod.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using model::array_at;
using model::string_at;
using model::Value;

std::vector<std::string> mounts(const LogClaims& claims) {
  LogRecord log;
  log.pod = "db-0";
  const Value spec = log_pod(log, claims, "host", {"/usr/bin/holdfast"});
  std::vector<std::string> out;
  for (const Value& mount : array_at(array_at(spec, {"containers"}).at(0), {"volumeMounts"}))
    for (const Value& volume : array_at(spec, {"volumes"}))
      if (string_at(volume, {"name"}) == string_at(mount, {"name"}))
        out.push_back(std::string(string_at(mount, {"mountPath"})) + "=" +
                      std::string(string_at(volume, {"persistentVolumeClaim", "claimName"})));
  return out;
}

TEST(LogPod, MountsTheVolumesThatTheServerWillRunOn) {
  EXPECT_EQ(mounts({.kept = "k", .data = "d", .log = "l"}),
            (std::vector<std::string>{"/kept=k", "/data=d", "/log=l"}));
}

TEST(LogPod, MountsAClaimOnceThatHoldsBoth) {
  const LogClaims claims{.kept = "k", .data = "d"};
  EXPECT_EQ(mounts(claims), (std::vector<std::string>{"/kept=k", "/data=d", "/log=d"}));
  const Value spec = log_pod({}, claims, "host", {});
  EXPECT_EQ(array_at(spec, {"volumes"}).size(), 2U);
}

}  // namespace
}  // namespace holdfast::protect
