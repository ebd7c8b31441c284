// Hand-overs as observed: what was made is known from the server, whatever the caches show.
#include <holdfast/protect/cut/handover.h>

#include "pass_for_tests.h"

#include <gtest/gtest.h>

namespace holdfast::protect::handover {
namespace {

using model::Array;
using model::Object;
using model::Value;

constexpr control::Mark kMark{"test.dev/run", "test.dev/run-of"};

Value claim(const char* name, Object spec, Object annotations = {}) {
  return Object{{"metadata", Object{{"namespace", "shop"},
                                    {"name", name},
                                    {"uid", std::string("uid-of-") + name},
                                    {"resourceVersion", "1"},
                                    {"labels", Object{{"test.dev/run", "u-1"}}},
                                    {"annotations", std::move(annotations)}}},
                {"spec", std::move(spec)},
                {"status", Object{{"phase", "Bound"}}}};
}

Value volume(const char* name, const char* restored_by, bool marked = true) {
  Object metadata{{"name", name}, {"uid", name}, {"resourceVersion", "1"}};
  metadata["annotations"] = Object{{kRestoredBy, restored_by}};
  if (marked) metadata["labels"] = Object{{"test.dev/run", "u-1"}};
  return Object{{"metadata", std::move(metadata)},
                {"spec", Object{{"persistentVolumeReclaimPolicy", "Retain"}}}};
}

Value pod(const char* name, const char* mounts) {
  return Object{
      {"metadata",
       Object{{"namespace", "shop"}, {"name", name}, {"uid", name}, {"resourceVersion", "1"}}},
      {"spec", Object{{"volumes",
                       Array{Object{{"name", "data"},
                                    {"persistentVolumeClaim", Object{{"claimName", mounts}}}}}}}},
      {"status", Object{{"phase", "Running"}}}};
}

class Look : public testing::Test {
 protected:
  Seen look(const std::string& name, bool certain = false) {
    Seen seen{.staged_ns = "shop",
              .staged_name = "staged-" + name,
              .target_ns = "shop",
              .target_name = name};
    const Result<void> looked = looking_.look(true, certain, seen);
    EXPECT_TRUE(looked) << (looked ? "" : looked.error().what());
    return seen;
  }

  PassOverServer pass_{WallTime(std::chrono::hours(24 * 365))};
  Looking looking_{pass_, Owned{kMark, {"shop", "run", "u-1"}}};
};

TEST_F(Look, AVolumeThatWasKeptIsFoundThoughNoCacheShowsIt) {
  pass_.server().hold(kube::kVolumes, volume("pv-other", "staged-log"));
  pass_.server().hold(kube::kVolumes, volume("pv-new", "staged-data"));

  const Seen seen = look("data");

  ASSERT_TRUE(seen.fresh);
  EXPECT_EQ(seen.fresh->object.name(), "pv-new");
  EXPECT_TRUE(seen.is_begun());
}

TEST_F(Look, AClaimThatWasHandedOverIsDoneThoughNoCacheShowsIt) {
  pass_.server().hold(kube::kVolumes, volume("pv-new", "staged-data", false));
  pass_.server().hold(kube::kClaims, claim("data", Object{{"volumeName", "pv-new"}},
                                           Object{{kRestoredBy, "staged-data"}}));

  const Seen seen = look("data");

  EXPECT_TRUE(seen.is_done()) << "it would be filled once more";
  ASSERT_TRUE(seen.fresh);
  EXPECT_EQ(seen.fresh->object.name(), "pv-new");
}

TEST_F(Look, UsersOfWhatIsSwitchedNextAreThoseOfTheServer) {
  pass_.server().hold(kube::kVolumes, volume("pv-new", "staged-data"));
  pass_.put(kube::kClaims, claim("data", Object{{"volumeName", "pv-old"}}));
  pass_.server().hold(kube::kPods, pod("db-0", "data"));
  pass_.server().hold(kube::kPods, pod("web-0", "other"));

  EXPECT_EQ(look("data").users, std::vector<std::string>{"db-0"});
}

TEST_F(Look, WhetherTheReplacedVolumeWouldGoWithItsClaimIsAskedOfTheServer) {
  pass_.server().hold(kube::kVolumes, volume("pv-new", "staged-data"));
  pass_.put(kube::kClaims, claim("data", Object{{"volumeName", "pv-old"}}));
  Value old = volume("pv-old", "", false);
  pass_.show(kube::kVolumes, old);
  old.as_object()["spec"] = Object{{"persistentVolumeReclaimPolicy", "Delete"}};
  pass_.server().hold(kube::kVolumes, old);

  const Seen seen = look("data");

  ASSERT_TRUE(seen.old);
  EXPECT_EQ(seen.old->policy, "Delete");
}

TEST_F(Look, ManyClaimsCostNoMoreListsThanOne) {
  for (const char* each : {"a", "b", "c", "d"}) {
    pass_.put(kube::kClaims, claim(each, Object{{"volumeName", each}}));
    pass_.put(kube::kVolumes,
              volume((std::string("pv-") + each).c_str(), (std::string("staged-") + each).c_str()));
  }
  look("a");
  const size_t first = pass_.server().asked().size();
  for (const char* each : {"b", "c", "d"}) look(each);
  EXPECT_EQ(pass_.server().asked().size(), first) << "only the next one is asked for";
}

}  // namespace
}  // namespace holdfast::protect::handover
