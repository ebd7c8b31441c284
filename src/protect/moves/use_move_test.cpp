#include <holdfast/model/json.h>
#include <holdfast/protect/use_move.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

kube::Cached move(std::string_view version, int64_t done, std::string_view phase) {
  using model::Object;
  return kube::Cached::from_value(
             Object{
                 {"metadata", Object{{"name", "m"}, {"uid", "u"}, {"resourceVersion", version}}},
                 {"status", Object{{"phase", phase}, {"progress", Object{{"bytesDone", done}}}}}})
      .take();
}

kube::Change change(kube::Cached before, kube::Cached after) {
  return {
      .kind = kube::Change::Kind::Updated, .before = std::move(before), .after = std::move(after)};
}

TEST(UseMove, ProgressAloneWakesNobody) {
  EXPECT_FALSE(beyond_progress(change(move("1", 10, "InProgress"), move("2", 20, "InProgress"))));
}

TEST(UseMove, EverythingElseDoes) {
  EXPECT_TRUE(beyond_progress(change(move("1", 10, "InProgress"), move("2", 20, "Completed"))));
  EXPECT_TRUE(beyond_progress({.kind = kube::Change::Kind::Added, .after = move("1", 0, "New")}));
  EXPECT_TRUE(
      beyond_progress({.kind = kube::Change::Kind::Deleted, .before = move("1", 0, "New")}));
}

TEST(UseMove, IsBelievedOnlyIfItWasAskedForTheSame) {
  DataMove wished;
  wished.spec.tags = {"vga=u1"};
  UsedMove used{.object = move("1", 0, "Completed"), .move = wished};
  used.move.status.phase = DataMove::Phase::Completed;
  EXPECT_EQ(used.trouble(wished).reason, "");

  wished.spec.snapshot = "abc";
  const control::Refusal changed = used.trouble(wished);
  EXPECT_EQ(changed.reason, "MoveChanged");
  EXPECT_EQ(changed.message, "DataMove m was asked for something else, by spec.snapshot");

  used.move.status.phase = DataMove::Phase::Failed;
  used.move.status.conditions = {{"Completed", "False", "NoRoom", "the bucket is full", "", 0}};
  EXPECT_EQ(used.trouble(wished).text(), "NoRoom: the bucket is full");
}

}  // namespace
}  // namespace holdfast::protect
