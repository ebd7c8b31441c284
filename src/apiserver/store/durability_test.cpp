/// Durability of a store with a file: nothing leaves before it is on disk, what left is there after
/// a crash, failed commits leave no trace, and damage is told from absence.
#include <holdfast/base/files.h>

#include "store/store_fixture.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <thread>

namespace holdfast::apiserver::storage {
namespace {

struct Durability : testing::TestWithParam<Subject> {
  StoreBed bed{GetParam()};
  Store& store() { return *bed.store; }
  std::vector<std::string> told;
  void ask(Revision revision) {
    store().when_durable(revision, [this, revision](Result<void> done) {
      told.push_back(std::to_string(revision) + (done ? "" : " undone"));
    });
  }
  size_t event_count(Revision after) {
    Revision seen = 0;
    const auto got = store().changes("pods", after, 100000, seen);
    EXPECT_TRUE(got) << got.error().what();
    return got ? got->size() : 0;
  }
  void sql(const std::string& text) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(bed.path().c_str(), &db), SQLITE_OK);
    char* why = nullptr;
    EXPECT_EQ(sqlite3_exec(db, text.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
    sqlite3_close(db);
  }
  Error refusal() {
    auto opened = open_store(bed.path(), bed.clock);
    EXPECT_FALSE(opened);
    return opened ? Error(Fault::Internal, "it opened") : opened.take_error();
  }
  /// A write that cannot be committed: the file may not grow.
  void fill_disk() { bed.engine().journal()->limit_pages(1); }
  void free_disk() { bed.engine().journal()->limit_pages(0); }
};

INSTANTIATE_TEST_SUITE_P(Subjects, Durability,
                         testing::Values(Subject::Disk, Subject::DiskTinyRing),
                         [](const auto& subject) { return name_of(subject.param); });

TEST_P(Durability, NothingLeavesBeforeTheCommit) {
  int heard = 0;
  store().on_durable([&] { ++heard; });
  bed.put(pod("a"), "one");
  bed.put(pod("b"), "two");
  ask(3);
  ask(2);

  EXPECT_EQ(store().current(), 3);
  EXPECT_EQ(store().durable(), 1);
  EXPECT_EQ(event_count(1), 0u);
  EXPECT_TRUE(told.empty());
  EXPECT_EQ(heard, 0);

  EXPECT_TRUE(store().commit_pending());

  EXPECT_EQ(store().durable(), 3);
  EXPECT_EQ(event_count(1), 2u);
  EXPECT_EQ(told, (std::vector<std::string>{"2", "3"}));  // in the order of revisions
  EXPECT_EQ(heard, 1);
  EXPECT_FALSE(store().commit_pending());
}

TEST_P(Durability, RepliesOfDurableRevisionsAreNotHeld) {
  bed.put(pod("a"), "one");
  bed.settle();

  ask(2);
  ask(1);

  EXPECT_EQ(told, (std::vector<std::string>{"2", "1"}));
}

TEST_P(Durability, CommittedWritesSurviveACrashAndOthersDoNot) {
  Key owned = pod("owned");
  Draft full = draft("kept");
  full.meta.uid = "u-1";
  full.meta.generation = 7;
  full.meta.deletion_timestamp = "2026-01-01T00:00:00Z";
  full.meta.labels = {{"app", "x"}, {"tier", ""}};
  full.meta.finalizers = {"a/b", "c"};
  full.meta.owners = {{"v1", "Node", "n", "u-2", true, false},
                      {"v1", "Pod", "p", "u-3", false, true}};
  ASSERT_TRUE(store().put(owned, 0, full));
  bed.put(pod("b"), "one");
  bed.put(pod("b"), "two");
  bed.put(pod("gone"), "x");
  bed.remove(pod("gone"));
  bed.settle();
  bed.put(pod("late"), "never acknowledged");

  bed.crash();

  EXPECT_EQ(store().current(), 6);
  EXPECT_EQ(store().durable(), 6);
  EXPECT_EQ(bed.names({.resource = "pods"}),
            (std::vector<std::string>{"default/b", "default/owned"}));
  const StoredPtr back = store().get(owned);
  EXPECT_EQ(back->text, text_of(2, "kept"));
  EXPECT_EQ(back->revision, 2);
  EXPECT_EQ(back->meta.name, "owned");
  EXPECT_EQ(back->meta.uid, "u-1");
  EXPECT_EQ(back->meta.generation, 7);
  EXPECT_EQ(back->meta.deletion_timestamp, "2026-01-01T00:00:00Z");
  EXPECT_EQ(back->meta.labels, full.meta.labels);
  EXPECT_EQ(back->meta.finalizers, full.meta.finalizers);
  ASSERT_EQ(back->meta.owners.size(), 2u);
  EXPECT_TRUE(back->meta.owners[0].controller);
  EXPECT_FALSE(back->meta.owners[0].block_owner_deletion);
  EXPECT_TRUE(back->meta.owners[1].block_owner_deletion);
  EXPECT_EQ(store().get(pod("b"))->created, 3);
}

TEST_P(Durability, WatchesGoOnAcrossARestart) {
  for (int i = 0; i < 6; ++i) bed.put(pod("a"), std::to_string(i));
  bed.remove(pod("a"));
  bed.settle();
  bed.open();
  bed.put(pod("a"), "after");
  bed.settle();

  Revision seen = 0;
  const auto all = store().changes("pods", 3, 100, seen);

  ASSERT_TRUE(all) << all.error().what();
  ASSERT_EQ(all->size(), 6u);
  for (size_t i = 0; i < all->size(); ++i)
    EXPECT_EQ((*all)[i].revision, static_cast<Revision>(4 + i));
  EXPECT_EQ((*all)[0].before->text, text_of(3, "1"));
  EXPECT_EQ((*all)[4].type, ChangeType::Deleted);
  EXPECT_EQ((*all)[4].object->text, text_of(8, "5"));
  EXPECT_EQ((*all)[5].type, ChangeType::Added);
  EXPECT_EQ(seen, 9);
}

TEST_P(Durability, RevisionsNeverGoBackEvenWhenAllHistoryIsGone) {
  bed.put(pod("a"), "one");
  bed.remove(pod("a"));
  bed.settle();
  bed.clock.advance(std::chrono::hours(1));
  while (store().compact_step(std::chrono::minutes(5))) {
  }

  bed.open();

  EXPECT_EQ(store().current(), 3);
  EXPECT_EQ(store().oldest(), 3);
  EXPECT_EQ(bed.put(pod("b"), "two")->revision, 4);
}

TEST_P(Durability, CompactionSurvivesARestart) {
  for (int i = 0; i < 5; ++i) bed.put(pod("a"), std::to_string(i));
  bed.settle();
  bed.clock.advance(std::chrono::hours(1));
  bed.put(pod("b"), "new");
  bed.settle();
  while (store().compact_step(std::chrono::minutes(5))) {
  }

  bed.crash();

  EXPECT_EQ(store().oldest(), 6);
  EXPECT_EQ(store().get(pod("a"))->text, text_of(6, "4"));
  EXPECT_EQ(event_count(6), 1u);
}

TEST_P(Durability, AFailedCommitIsUndoneWholeAndToldToAll) {
  bed.put(pod("a"), "one");
  bed.put(pod("b"), "two");
  bed.settle();
  std::vector<std::string> heard;
  store().on_change([&](const Change& change) {
    heard.push_back(std::to_string(static_cast<int>(change.type)) + change.key.name + "@" +
                    std::to_string(change.object->revision));
  });
  fill_disk();

  bed.put(pod("a"), std::string(9000, 'x'));
  bed.remove(pod("b"));
  bed.put(pod("c"), "three");
  ask(4);
  ask(6);
  EXPECT_TRUE(store().commit_pending());

  EXPECT_EQ(told, (std::vector<std::string>{"4 undone", "6 undone"}));
  EXPECT_EQ(heard, (std::vector<std::string>{"1a@4", "2b@5", "0c@6", "2c@6", "0b@3", "1a@2"}));
  EXPECT_EQ(store().current(), 3);
  EXPECT_EQ(store().durable(), 3);
  EXPECT_EQ(store().get(pod("a"))->text, text_of(2, "one"));
  EXPECT_EQ(bed.names({.resource = "pods"}), (std::vector<std::string>{"default/a", "default/b"}));
  EXPECT_EQ(event_count(1), 2u);
  ASSERT_FALSE(store().healthy());
  EXPECT_NE(store().healthy().error().what().find("state.db"), std::string::npos);
}

TEST_P(Durability, UndoneRevisionsAreNeverUsedAgain) {
  bed.put(pod("a"), "one");
  bed.settle();
  fill_disk();
  bed.put(pod("a"), std::string(9000, 'x'));
  bed.settle();
  free_disk();

  EXPECT_EQ(bed.put(pod("b"), "two")->revision, 4);
  bed.settle();
  ask(3);
  ask(4);

  EXPECT_EQ(told, (std::vector<std::string>{"3 undone", "4"}));
  EXPECT_TRUE(store().healthy());
  bed.crash();
  EXPECT_EQ(store().current(), 4);
  EXPECT_EQ(bed.names({.resource = "pods", .at = 3}), (std::vector<std::string>{"default/a"}));
}

TEST_P(Durability, HealthReturnsByItselfWhenWritingWorksAgain) {
  fill_disk();
  bed.put(pod("a"), std::string(9000, 'x'));
  EXPECT_TRUE(store().commit_pending());
  ASSERT_FALSE(store().healthy());

  free_disk();
  EXPECT_FALSE(store().commit_pending());

  EXPECT_TRUE(store().healthy());
}

TEST_P(Durability, TheFileIsPrivate) {
  bed.put({"secrets", "default", "s"}, "hush");
  bed.settle();

  for (const char* suffix : {"", "-wal", "-shm"}) {
    struct stat info {};
    ASSERT_EQ(stat((bed.path() + suffix).c_str(), &info), 0) << suffix;
    EXPECT_EQ(info.st_mode & 0777, 0600u) << suffix;
  }
}

TEST_P(Durability, ANewerFormatIsRefusedWithAHint) {
  bed.store.reset();
  sql("UPDATE meta SET value=2 WHERE key='format'");

  const Error why = refusal();

  EXPECT_EQ(why.fault(), Fault::Invalid);
  EXPECT_NE(why.what().find("state.db has format 2"), std::string::npos) << why.what();
  EXPECT_NE(why.hint().find("upgrade"), std::string::npos);
}

TEST_P(Durability, SomebodyElsesDatabaseIsRefused) {
  bed.store.reset();
  sql("DROP TABLE meta");

  EXPECT_EQ(refusal().fault(), Fault::Invalid);
}

TEST_P(Durability, ATextThatIsNotADatabaseIsCorrupt) {
  bed.store.reset();
  ASSERT_TRUE(write_file(bed.path(), std::string(5000, 'n'), 0600));

  const Error why = refusal();

  EXPECT_EQ(why.fault(), Fault::Corrupt);
  EXPECT_NE(why.what().find(bed.path()), std::string::npos) << why.what();
}

TEST_P(Durability, ATornFileIsCorrupt) {
  for (int i = 0; i < 50; ++i) bed.put(pod(std::to_string(i)), std::string(3000, 'x'));
  bed.settle();
  bed.store.reset();
  std::filesystem::resize_file(bed.path(), std::filesystem::file_size(bed.path()) / 2);

  const Error why = refusal();

  EXPECT_EQ(why.fault(), Fault::Corrupt);
  EXPECT_NE(why.what().find(bed.path()), std::string::npos) << why.what();
}

TEST_P(Durability, AFlippedBitIsCorruptNotServed) {
  bed.put(pod("a"), std::string(3000, 'x'));
  bed.settle();
  bed.store.reset();
  std::string bytes = *read_file(bed.path());
  const size_t at = bytes.find("xxxxxxxx");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 100] = 'y';
  ASSERT_TRUE(write_file(bed.path(), bytes, 0600));

  const Error why = refusal();

  EXPECT_EQ(why.fault(), Fault::Corrupt);
  EXPECT_NE(why.what().find("checksum"), std::string::npos) << why.what();
}

TEST_P(Durability, ALostRowIsCorrupt) {
  for (int i = 0; i < 3; ++i) bed.put(pod("a"), "x");
  bed.settle();
  bed.store.reset();
  sql("DELETE FROM log WHERE rev=3");

  EXPECT_EQ(refusal().fault(), Fault::Corrupt);

  sql("DELETE FROM log WHERE rev<=4; DELETE FROM body");
  EXPECT_TRUE(open_store(bed.path(), bed.clock));
}

TEST_P(Durability, AMissingFolderIsNamed) {
  const auto opened = open_store(bed.folder / "none" / "state.db", bed.clock);

  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault(), Fault::NotFound);
  EXPECT_NE(opened.error().what().find("none/state.db"), std::string::npos);
}

TEST_P(Durability, TheWalStaysBounded) {
  for (int i = 0; i < 150; ++i) {
    for (int j = 0; j < 64; ++j) bed.put(pod(std::to_string(j)), std::string(3000, 'x'));
    bed.settle();
  }

  EXPECT_LT(std::filesystem::file_size(bed.path() + "-wal"), 32u << 20);
}

TEST_P(Durability, TheCommitterSaysThatItWaitsForTheDiskAndThatItTellsListeners) {
  std::vector<Committer::At> seen;
  store().on_durable([&] { seen.push_back(store().committer().at); });
  EXPECT_EQ(store().committer().at, Committer::At::Rest);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(bed.path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  bed.put(pod("a"), "one");
  bed.clock.advance(std::chrono::seconds(5));

  // The journal is in other hands: the commit waits.
  std::atomic<bool> over{false};
  std::thread committer([&] {
    store().commit_pending();
    over = true;
  });
  while (store().committer().at == Committer::At::Rest && !over) std::this_thread::yield();
  const Committer waiting = store().committer();
  sqlite3_close(other);
  committer.join();

  EXPECT_EQ(waiting.at, Committer::At::Disk);
  EXPECT_EQ(waiting.since, bed.clock.mono());
  EXPECT_EQ(waiting.upto, 2);
  EXPECT_EQ(seen, std::vector{Committer::At::Listeners});
  EXPECT_EQ(store().committer().at, Committer::At::Rest);
}

}  // namespace
}  // namespace holdfast::apiserver::storage
