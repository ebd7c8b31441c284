// Snapshots that a move may forget, and those that stay.
#include "mover/forgetting.h"

#include "mover/repository_test.h"

namespace holdfast::protect {
namespace {

class Forgetting : public RepositoryTest {
 protected:
  Result<Forgotten> forget(std::vector<std::string> ids, std::vector<std::string> tags) {
    MoveTask task;
    task.snapshots = std::move(ids);
    task.tags = std::move(tags);
    return carry_out(task);
  }
  Result<Forgotten> carry_out(const MoveTask& task) {
    reason_.clear();
    return forget_snapshots(index_->repository(), task, clock_.now(), reason_);
  }
  bool there(const repo::Snapshot& snapshot) {
    return bool(repo::find_snapshot(index_->repository(), snapshot.id.hex(), {}));
  }

  std::string reason_;
};

TEST_F(Forgetting, TakesWhatIsNamedAndCarriesTheTags) {
  const repo::Snapshot a = store("a", "1", {"vg=x", "t"}), b = store("a", "2", {"vg=x", "t"}),
                       other = store("a", "3", {"vg=x", "t"});
  const auto done = forget({a.id.hex(), b.id.hex(), a.id.hex()}, {"t", "vg=x"});
  ASSERT_TRUE(done) << done.error().what();
  EXPECT_EQ(done->removed, 2);
  EXPECT_FALSE(there(a));
  EXPECT_FALSE(there(b));
  EXPECT_TRUE(there(other));
}

TEST_F(Forgetting, WhatIsGoneAlreadyIsNoErrorAndIsNotCounted) {
  const repo::Snapshot a = store("a", "1", {"t"});
  const auto one = forget({a.id.hex(), std::string(64, '0')}, {"t"});
  ASSERT_TRUE(one) << one.error().what();
  EXPECT_EQ(one->removed, 1);
  const auto none = forget({a.id.hex()}, {"t"});
  ASSERT_TRUE(none) << none.error().what();
  EXPECT_EQ(none->removed, 0);
  EXPECT_EQ(none->ids, std::vector<std::string>{a.id.hex()}) << "an attempt before took it";
  EXPECT_FALSE(there(a));
}

TEST_F(Forgetting, NothingGoesIfOneIsAnothers) {
  const repo::Snapshot ours = store("a", "1", {"vg=x", "t"}), half = store("a", "2", {"vg=x"});
  const auto done = forget({ours.id.hex(), half.id.hex()}, {"vg=x", "t"});
  ASSERT_FALSE(done);
  EXPECT_EQ(reason_, "TagMissing");
  EXPECT_FALSE(done.error().transient());
  EXPECT_NE(done.error().what().find(half.id.hex()), std::string::npos) << done.error().what();
  EXPECT_TRUE(there(ours));
  EXPECT_TRUE(there(half));
  EXPECT_FALSE(forget({half.id.hex()}, {}));
  EXPECT_TRUE(there(half));
}

TEST_F(Forgetting, WhatItsWriterProtectsStays) {
  repo::Snapshot kept = store("a", "1", {"t"});
  kept.others = R"(,"delete":"Never")";
  ASSERT_TRUE(repo::save_snapshot(index_->repository(), kept));
  EXPECT_FALSE(forget({kept.id.hex()}, {"t"}));
  EXPECT_EQ(reason_, "SnapshotProtected");
  EXPECT_TRUE(there(kept));
}

TEST_F(Forgetting, AllThatCarryTheTagsGoIfThatIsAskedFor) {
  const repo::Snapshot a = store("a", "1", {"vga=1"}), other = store("a", "2", {"vga=2"}),
                       list = store("c", "3", {"vga=1", "catalogue"});
  MoveTask task;
  task.all_tagged = true;
  task.tags = {"vga=1"};

  const auto gone = carry_out(task);

  ASSERT_TRUE(gone) << gone.error().what();
  EXPECT_EQ(gone->ids, (std::vector<std::string>{list.id.hex(), a.id.hex()}))
      << "the list goes first";
  EXPECT_FALSE(there(a) || there(list));
  EXPECT_TRUE(there(other));
  task.tags.clear();
  EXPECT_FALSE(carry_out(task)) << "that would be all there is";
  EXPECT_TRUE(there(other));
}

TEST_F(Forgetting, NothingGoesBeforeItsTime) {
  const repo::Snapshot old = store("a", "1", {"t"}), young = store("a", "2", {"t"});
  MoveTask task;
  task.tags = {"t"};
  task.all_tagged = true;
  task.access.keep_seconds = 3600;
  clock_.advance(std::chrono::minutes(59));

  const auto done = carry_out(task);

  ASSERT_FALSE(done);
  EXPECT_EQ(reason_, "MinimumRetention");
  EXPECT_FALSE(done.error().transient());
  EXPECT_TRUE(there(old) && there(young));
  clock_.advance(std::chrono::minutes(1));
  EXPECT_TRUE(carry_out(task));
  EXPECT_FALSE(there(old) || there(young));
}

}  // namespace
}  // namespace holdfast::protect
