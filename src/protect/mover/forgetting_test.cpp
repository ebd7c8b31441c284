// Snapshots that a move may forget, and those that stay.
#include "mover/forgetting.h"

#include "mover/repository_test.h"

namespace holdfast::protect {
namespace {

class Forgetting : public RepositoryTest {
 protected:
  Result<int64_t> forget(std::vector<std::string> ids, std::vector<std::string> tags) {
    MoveTask task;
    task.snapshots = std::move(ids);
    task.tags = std::move(tags);
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
  const Result<int64_t> done = forget({a.id.hex(), b.id.hex(), a.id.hex()}, {"t", "vg=x"});
  ASSERT_TRUE(done) << done.error().what();
  EXPECT_EQ(*done, 2);
  EXPECT_FALSE(there(a));
  EXPECT_FALSE(there(b));
  EXPECT_TRUE(there(other));
}

TEST_F(Forgetting, WhatIsGoneAlreadyIsNoErrorAndIsNotCounted) {
  const repo::Snapshot a = store("a", "1", {"t"});
  const Result<int64_t> one = forget({a.id.hex(), std::string(64, '0')}, {"t"});
  ASSERT_TRUE(one) << one.error().what();
  EXPECT_EQ(*one, 1);
  const Result<int64_t> none = forget({a.id.hex()}, {"t"});
  ASSERT_TRUE(none) << none.error().what();
  EXPECT_EQ(*none, 0);
  EXPECT_FALSE(there(a));
}

TEST_F(Forgetting, NothingGoesIfOneIsAnothers) {
  const repo::Snapshot ours = store("a", "1", {"vg=x", "t"}), half = store("a", "2", {"vg=x"});
  const Result<int64_t> done = forget({ours.id.hex(), half.id.hex()}, {"vg=x", "t"});
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

}  // namespace
}  // namespace holdfast::protect
