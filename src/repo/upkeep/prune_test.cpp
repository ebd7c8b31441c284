#include <holdfast/blob/forwarding.h>
#include <holdfast/repo/check.h>
#include <holdfast/repo/prune.h>

#include "locks/lock_file.h"
#include "upkeep/prune_plan.h"
#include "upkeep/sample.h"

#include <gtest/gtest.h>

#include <atomic>

namespace holdfast::repo {
namespace {

using namespace std::chrono_literals;

PackUse pack(char id, uint64_t used, uint64_t unused, bool trees = false) {
  PackUse out{.size = used + unused, .used = used, .unused = unused, .trees = trees};
  out.id.bytes[0] = uint8_t(id);
  return out;
}

TEST(PruneDecision, CopiesTheWorstPacksUntilLittleEnoughIsUnused) {
  const std::vector<PackUse> packs{pack('a', 100, 0), pack('b', 50, 50), pack('c', 90, 10),
                                   pack('d', 0, 100), pack('e', 95, 5, true)};

  const auto fates = decide(packs, {.max_unused = "3%"}, WallTime()).take();

  EXPECT_EQ(fates, (std::vector<PackFate>{PackFate::Keep, PackFate::Repack, PackFate::Keep,
                                          PackFate::Drop, PackFate::Repack}));
  const auto none = decide(packs, {.max_unused = "unlimited"}, WallTime()).take();
  EXPECT_EQ(std::count(none.begin(), none.end(), PackFate::Repack), 0);
  const auto all = decide(packs, {.max_unused = "0"}, WallTime()).take();
  EXPECT_EQ(std::count(all.begin(), all.end(), PackFate::Repack), 3);
  const auto trees = decide(packs, {.max_unused = "0", .repack_cacheable_only = true}, WallTime());
  EXPECT_EQ((*trees)[1], PackFate::Keep);
  const auto bounded = decide(packs, {.max_unused = "0", .max_repack_bytes = 100}, WallTime());
  EXPECT_EQ(std::count(bounded->begin(), bounded->end(), PackFate::Repack), 1);
}

TEST(PruneDecision, LetsMarkedPacksWaitAndTakesBackTheNeeded) {
  std::vector<PackUse> packs{pack('a', 0, 10), pack('b', 0, 10), pack('c', 10, 0)};
  const WallTime now(100h);
  packs[0].marked = now - 22h;
  packs[1].marked = now - 23h;
  packs[2].marked = now - 50h;

  EXPECT_EQ(decide(packs, {}, now).take(),
            (std::vector<PackFate>{PackFate::Waiting, PackFate::Due, PackFate::Revive}));
  EXPECT_EQ(decide(packs, {.instant = true}, now)->front(), PackFate::Due);
}

TEST(PruneDecision, UnderstandsLimits) {
  EXPECT_EQ(unused_limit("5%", 950).take(), 50U);
  EXPECT_EQ(unused_limit("2G", 1).take(), uint64_t{2} << 30);
  for (const char* wrong : {"", "%", "100%", "-1%", "G", "5x"})
    EXPECT_FALSE(unused_limit(wrong, 1));
}

/// Lets so many changes through, then none: what a process that dies leaves behind.
class DyingStore final : public blob::Forwarding {
 public:
  DyingStore(std::shared_ptr<blob::Store> below, int64_t changes)
      : Forwarding(std::move(below)), left_(changes) {}
  Result<void> put(const std::string& name, std::string_view bytes,
                   const blob::PutOptions& options) override {
    if (left_-- <= 0) return Error(Fault::Denied, "dead");
    return Forwarding::put(name, bytes, options);
  }
  Result<void> remove(const std::string& name) override {
    if (left_-- <= 0) return Error(Fault::Denied, "dead");
    return Forwarding::remove(name);
  }
  Result<std::vector<std::string>> remove_all(const std::vector<std::string>& names) override {
    return Store::remove_all(names);  // it may die between any two
  }
  bool died() const { return left_ < 0; }

 private:
  std::atomic<int64_t> left_;
};

struct Prune : testing::Test {
  Sample sample_;
  std::string shared_ = sample_.random.bytes(400'000), lone_ = sample_.random.bytes(150'000);
  Sample::Files first_files_{{"d/lone", lone_}, {"d/shared", shared_}};
  Sample::Files second_files_{{"e/new", sample_.random.bytes(80'000)}, {"e/shared", shared_}};
  Snapshot first_ = sample_.back_up(first_files_), second_ = sample_.back_up(second_files_);

  LockOptions quiet(bool exclusive) {
    LockOptions out;
    out.exclusive = exclusive;
    out.background = false;
    out.sleep = [this](std::chrono::milliseconds time, const std::stop_token&) {
      sample_.clock.advance(time);
    };
    return out;
  }
  Result<PruneResult> prune(PruneOptions options, PrunePlan* plan = nullptr) {
    const auto repository = sample_.open();
    auto lock = HF_TRY(take_lock(*repository, quiet(options.instant)));
    // Nearly all of it is too much for memory.
    options.scratch = {testing::TempDir() + "prune-scratch", 3};
    auto planned = HF_TRY(plan_prune(*repository, options, [](const PruneProgress&) {}, {}));
    if (plan != nullptr) *plan = planned->plan();
    return planned->carry_out(*lock, [](const PruneProgress&) {}, {});
  }
  void forget_first() { ASSERT_TRUE(sample_.open()->remove(FileType::Snapshot, first_.id)); }
  std::string troubles() {
    const auto repository = sample_.open();
    const auto result =
        check(*repository, {.data = CheckOptions::Data::All}, [](const CheckProgress&) {}, {});
    if (!result) return result.error().what();
    std::string out;
    for (const Damage& d : result->damages)
      if (!d.hint) out += d.place + ": " + d.what + "\n";
    return out;
  }
  void expect_readable(const Snapshot& snapshot, const Sample::Files& files) {
    const auto index = sample_.index();
    const auto back = Sample::read(*index, snapshot.tree);
    ASSERT_TRUE(back) << back.error().what();
    EXPECT_EQ(*back, files);
  }
  bool knows(const std::string& plain) {
    const auto index = sample_.index();
    return static_cast<IndexedRepository&>(*index)
        .table()
        .find(BlobType::Data, hash(std::string_view(plain).substr(0, 50'000)))
        .has_value();
  }
};

TEST_F(Prune, WritesNothingToWhatOnlyGrows) {
  forget_first();
  sample_.config.append_only = true;
  const auto before = std::pair(sample_.names("data/"), sample_.names("index/"));

  for (const bool instant : {false, true})
    EXPECT_EQ(prune({.max_unused = "0", .instant = instant}).error().fault(), Fault::Invalid);

  EXPECT_EQ(std::pair(sample_.names("data/"), sample_.names("index/")), before);
}

TEST_F(Prune, AtOnceLeavesExactlyWhatIsNeeded) {
  EXPECT_EQ(prune({.instant = true})->packs_deleted, 0U) << "everything is needed";
  forget_first();
  ASSERT_TRUE(sample_.store->put("data/00/" + std::string(64, '0'), "half an upload"));
  PrunePlan plan;

  const auto done = prune({.max_unused = "0", .instant = true}, &plan);

  ASSERT_TRUE(done) << done.error().what();
  EXPECT_EQ(done->packs_deleted, plan.repack.size() + plan.drop.size() + plan.orphans.size());
  EXPECT_EQ(plan.orphans.size(), 1U);
  EXPECT_GE(plan.repack.size(), 1U);
  EXPECT_EQ(plan.unused_after, 0U);
  EXPECT_EQ(troubles(), "");
  EXPECT_FALSE(knows(lone_));
  expect_readable(second_, second_files_);
  PrunePlan again;
  ASSERT_TRUE(prune({.max_unused = "0", .instant = true}, &again));
  EXPECT_TRUE(again.empty());
  EXPECT_EQ(again.unused, 0U);
}

TEST_F(Prune, InTwoPhasesMarksFirstAndDeletesAfterTheGrace) {
  forget_first();
  const size_t packs = sample_.names("data/").size();

  const auto marked = prune({.max_unused = "0"});
  ASSERT_TRUE(marked) << marked.error().what();
  EXPECT_GT(marked->packs_marked, 0U);
  EXPECT_EQ(marked->packs_deleted, 0U);
  EXPECT_EQ(sample_.names("data/").size(), packs + marked->packs_written);
  EXPECT_FALSE(knows(lone_));
  EXPECT_EQ(troubles(), "");
  sample_.clock.advance(22h);
  EXPECT_EQ(prune({.max_unused = "0"})->packs_deleted, 0U);
  sample_.clock.advance(2h);
  const auto deleted = prune({.max_unused = "0"});

  EXPECT_EQ(deleted->packs_deleted, marked->packs_marked);
  EXPECT_EQ(troubles(), "");
  expect_readable(second_, second_files_);
}

TEST_F(Prune, WhatIsInNoIndexWaitsToo) {
  // Nobody can say what is in it: another's upload that is not done, or rubbish.
  const std::string stray = "data/00/" + std::string(64, '0');
  ASSERT_TRUE(sample_.store->put(stray, "half an upload"));

  EXPECT_EQ(prune({})->packs_marked, 1U);
  for (const auto wait : {1h, 21h}) {
    sample_.clock.advance(wait);
    EXPECT_EQ(troubles(), "");
    EXPECT_EQ(prune({})->packs_marked, 0U) << "once is enough";
    EXPECT_TRUE(sample_.store->stat(stray));
  }
  sample_.clock.advance(2h);
  EXPECT_EQ(prune({})->packs_deleted, 1U);

  EXPECT_FALSE(sample_.store->stat(stray));
  EXPECT_EQ(troubles(), "");
}

TEST_F(Prune, TakesBackWhatASnapshotNeedsAgain) {
  // Somebody who read the index before prune relies on what prune marks, and has no lock.
  const auto old = sample_.index();
  forget_first();
  ASSERT_TRUE(prune({.max_unused = "0"}));
  Snapshot late = first_;
  ASSERT_TRUE(save_snapshot(old->repository(), late));
  expect_readable(late, first_files_);
  EXPECT_FALSE(knows(lone_));
  sample_.clock.advance(30h);

  const auto again = prune({.max_unused = "0"});

  ASSERT_TRUE(again) << again.error().what();
  EXPECT_TRUE(knows(lone_));
  EXPECT_EQ(troubles(), "");
  expect_readable(late, first_files_);
  expect_readable(second_, second_files_);
}

TEST_F(Prune, WaitsForTheLocksOfOthersOrLeavesEverythingAsItWas) {
  forget_first();
  const auto other = sample_.open(7);
  const Id id = other
                    ->save(FileType::Lock,
                           to_json(LockInfo{.time = sample_.clock.now(), .host = "far", .pid = 7}))
                    .take();
  const auto before = sample_.names("");

  const auto refused = prune({.max_unused = "0"});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault(), Fault::Conflict);
  EXPECT_NE(refused.error().what().find("process 7 on far"), std::string::npos);
  EXPECT_EQ(sample_.names(""), before);
  int turns = 0;
  const auto waited = prune({.max_unused = "0",
                             .retry_for = 60s,
                             .sleep = [&](std::chrono::milliseconds time, const std::stop_token&) {
                               sample_.clock.advance(time);
                               if (++turns != 3) return;
                               EXPECT_TRUE(other->remove(FileType::Lock, id));
                             }});
  ASSERT_TRUE(waited) << waited.error().what();
  EXPECT_EQ(turns, 3);
  EXPECT_GT(waited->packs_marked, 0U);
}

/// Does something when the index changes, as another process might.
class BusyStore final : public blob::Forwarding {
 public:
  explicit BusyStore(std::shared_ptr<blob::Store> below) : Forwarding(std::move(below)) {}
  Result<void> put(const std::string& name, std::string_view bytes,
                   const blob::PutOptions& options) override {
    if (name.starts_with("index/") && !std::exchange(done_, true)) on_index();
    return Forwarding::put(name, bytes, options);
  }

  std::function<void()> on_index = [] {};

 private:
  bool done_ = false;
};

TEST_F(Prune, TakesBackAtOnceWhatAWriterFoundJustBeforeTheIndexChanged) {
  forget_first();
  const auto below = sample_.store;
  const auto busy = std::make_shared<BusyStore>(below);
  Snapshot late = first_;
  Id lock;
  const auto writer = sample_.open(7);
  busy->on_index = [&] {
    lock = writer
               ->save(FileType::Lock,
                      to_json(LockInfo{.time = sample_.clock.now(), .host = "far", .pid = 7}))
               .take();
  };
  sample_.store = busy;
  int turns = 0;
  const auto done = prune({.max_unused = "0",
                           .retry_for = 60s,
                           .sleep = [&](std::chrono::milliseconds time, const std::stop_token&) {
                             sample_.clock.advance(time);
                             if (++turns != 2) return;
                             EXPECT_TRUE(save_snapshot(*writer, late));
                             EXPECT_TRUE(writer->remove(FileType::Lock, lock));
                           }});

  ASSERT_TRUE(done) << done.error().what();
  EXPECT_EQ(turns, 2);
  EXPECT_GT(done->packs_revived, 0U);
  EXPECT_TRUE(knows(lone_));
  EXPECT_EQ(troubles(), "");
  expect_readable(late, first_files_);
}

TEST_F(Prune, RefusesWhenItCannotKnowWhatIsNeeded) {
  const auto index = sample_.index();
  const std::string pack =
      index->find(BlobType::Data, hash(std::string_view(shared_).substr(0, 50'000)))->pack.hex();
  const auto before = sample_.names("");
  ASSERT_TRUE(sample_.store->remove("data/" + pack.substr(0, 2) + "/" + pack));

  const auto refused = prune({.instant = true});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault(), Fault::Corrupt);
  EXPECT_NE(refused.error().what().find(pack), std::string::npos) << refused.error().what();
  EXPECT_EQ(sample_.names("").size(), before.size() - 1);
}

TEST_F(Prune, LeavesAWholeRepositoryWhereverItDies) {
  forget_first();
  std::map<std::string, std::string> whole;
  for (const std::string& name : sample_.names("")) whole[name] = sample_.store->get(name).take();
  for (const bool instant : {true, false}) {
    int64_t changes = 1;
    for (bool died = true; died; ++changes) {
      ASSERT_LT(changes, 200);
      std::shared_ptr<blob::Store> store = blob::memory_store();
      for (const auto& [name, bytes] : whole) ASSERT_TRUE(store->put(name, bytes));
      const auto dying = std::make_shared<DyingStore>(store, changes);
      sample_.store = dying;
      const auto ignored = prune({.max_unused = "0", .keep_delete = 0s, .instant = instant});
      died = dying->died();
      sample_.store = store;
      EXPECT_EQ(troubles(), "") << "after " << changes << " changes, instant " << instant;
      expect_readable(second_, second_files_);
      ASSERT_TRUE(unlock(*sample_.open(), true));
      const auto again = prune({.max_unused = "0", .instant = true});
      ASSERT_TRUE(again) << again.error().what();
      EXPECT_EQ(troubles(), "");
      EXPECT_FALSE(knows(lone_));
      expect_readable(second_, second_files_);
    }
    EXPECT_GT(changes, 5);
  }
}

}  // namespace
}  // namespace holdfast::repo
