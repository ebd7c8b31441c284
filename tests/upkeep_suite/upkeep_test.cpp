// Repositories made by stock restic; pruned, locked and repaired by us; judged by restic.
#include <holdfast/base/files.h>
#include <holdfast/base/host.h>
#include <holdfast/base/process.h>
#include <holdfast/base/text.h>
#include <holdfast/blob/forwarding.h>
#include <holdfast/blob/stores.h>
#include <holdfast/repo/check.h>
#include <holdfast/repo/prune.h>
#include <holdfast/repo/repair.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>

namespace holdfast::repo {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const auto kNoPruneProgress = [](const PruneProgress&) {};
const auto kNoCheckProgress = [](const CheckProgress&) {};

/// Lets so many changes through, then none: what a process that is killed leaves behind.
class DyingStore final : public blob::Forwarding {
 public:
  DyingStore(std::unique_ptr<blob::Store> below, int64_t changes)
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
  bool died() const { return left_ < 0; }

 private:
  std::atomic<int64_t> left_;
};

struct Upkeep : testing::Test {
  void SetUp() override {
    const char* named = std::getenv("HOLDFAST_RESTIC");
    restic_ = named == nullptr ? "restic" : named;
    if (!output_of({restic_, "version"})) GTEST_SKIP() << "no " << restic_ << " on this machine";
    folder_ = fs::path(testing::TempDir()) / ("upkeep-" + random_.uuid());
    ASSERT_TRUE(make_folder(folder_ / "data", 0700));
    ::setenv("RESTIC_PASSWORD", "secret", 1);
    SeededRandom bytes(9);
    write("data/shared", bytes.bytes(3'000'000));
    write("data/lone", bytes.bytes(2'000'000));
    ASSERT_TRUE(restic({"init"}));
    ASSERT_TRUE(restic({"backup", folder_ / "data"}));
    fs::remove(folder_ / "data/lone");
    write("data/new", bytes.bytes(1'000'000));
    ASSERT_TRUE(restic({"backup", folder_ / "data"}));
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void write(const std::string& name, const std::string& bytes) {
    ASSERT_TRUE(write_file(folder_ / name, bytes, 0600));
  }
  Result<std::string> restic(std::vector<std::string> words) {
    std::vector<std::string> all{restic_, "-r", folder_ / "repo", "--no-cache", "-q"};
    all.insert(all.end(), words.begin(), words.end());
    return output_of(all);
  }
  /// restic finds nothing wrong, and gives the data back.
  void expect_whole(const std::string& after) {
    const auto checked = restic({"check", "--read-data"});
    EXPECT_TRUE(checked) << after;
    const fs::path target = folder_ / "back";
    ASSERT_TRUE(restic({"restore", "latest", "--target", target})) << after;
    for (const char* name : {"shared", "new"}) {
      const fs::path source = folder_ / "data" / name;
      const auto back = read_file(target.string() + source.string());
      ASSERT_TRUE(back) << after;
      EXPECT_EQ(*back, *read_file(source)) << after;
    }
    fs::remove_all(target);
  }

  std::unique_ptr<Opened> opened(std::shared_ptr<blob::Store> store = {}) {
    if (!store) store = blob::file_store(folder_ / "repo", false).take();
    auto out = open(std::move(store), "secret", around_);
    EXPECT_TRUE(out) << out.error().what();
    return out.take();
  }
  Result<PruneResult> prune(const PruneOptions& options, std::shared_ptr<blob::Store> store = {}) {
    const auto repository = opened(std::move(store));
    LockOptions how;
    how.exclusive = options.instant;
    const auto lock = HF_TRY(take_lock(*repository, how));
    const auto planned = HF_TRY(plan_prune(*repository, options, kNoPruneProgress, {}));
    return planned->carry_out(*lock, kNoPruneProgress, {});
  }
  size_t packs() {
    size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / "repo/data"))
      if (entry.is_regular_file()) ++count;
    return count;
  }

  SystemClock clock_{};
  SystemRandom random_{};
  Surroundings around_{.clock = clock_,
                       .random = random_,
                       .host = host_name(),
                       .user = "user",
                       .pid = identity().pid};
  std::string restic_;
  fs::path folder_;
};

TEST_F(Upkeep, MarkedPacksDoNotTroubleResticAndGoLater) {
  ASSERT_TRUE(restic({"forget", "--keep-last=1"}));

  const auto marked = prune({.max_unused = "0"});
  ASSERT_TRUE(marked) << marked.error().what();
  EXPECT_GT(marked->packs_marked, 0U);
  expect_whole("marking");
  ASSERT_TRUE(restic({"backup", folder_ / "data"}));
  const size_t before = packs();
  const auto deleted = prune({.max_unused = "0", .keep_delete = 0s});
  ASSERT_TRUE(deleted) << deleted.error().what();

  EXPECT_GE(deleted->packs_deleted, marked->packs_marked);
  EXPECT_EQ(packs(), before + deleted->packs_written - deleted->packs_deleted);
  expect_whole("deleting");
}

TEST_F(Upkeep, WhatResticPrunesBesideOurMarksIsForgotten) {
  ASSERT_TRUE(restic({"forget", "--keep-last=1"}));
  ASSERT_TRUE(prune({.max_unused = "0"}));

  ASSERT_TRUE(restic({"prune"}));
  expect_whole("restic's prune");
  const auto checked = check(*opened(), {.data = CheckOptions::Data::All}, kNoCheckProgress, {});
  ASSERT_TRUE(checked);
  EXPECT_TRUE(checked->good()) << checked->damages.front().what;
  const auto again = prune({.max_unused = "0", .keep_delete = 0s});

  ASSERT_TRUE(again) << again.error().what();
  expect_whole("our prune after restic's");
}

TEST_F(Upkeep, KilledAnywherePruneLeavesWhatResticFindsWhole) {
  ASSERT_TRUE(restic({"forget", "--keep-last=1"}));
  fs::copy(folder_ / "repo", folder_ / "kept", fs::copy_options::recursive);
  for (const bool instant : {true, false}) {
    for (int64_t changes = 1;; ++changes) {
      ASSERT_LT(changes, 100);
      const auto dying =
          std::make_shared<DyingStore>(blob::file_store(folder_ / "repo", false).take(), changes);
      const auto ignored = prune({.max_unused = "0", .keep_delete = 0s, .instant = instant}, dying);
      ASSERT_TRUE(restic({"unlock", "--remove-all"}));
      expect_whole(fmt::format("{} changes, at once: {}", changes, instant));
      fs::remove_all(folder_ / "repo");
      fs::copy(folder_ / "kept", folder_ / "repo", fs::copy_options::recursive);
      if (!dying->died()) break;
    }
  }
}

TEST_F(Upkeep, ResticHonoursOurLocks) {
  const auto repository = opened();
  {
    LockOptions how;
    how.exclusive = true;
    const auto lock = take_lock(*repository, how);
    ASSERT_TRUE(lock) << lock.error().what();
    EXPECT_FALSE(restic({"backup", folder_ / "data"}));
  }
  const auto lock = take_lock(*repository, {});
  ASSERT_TRUE(lock);
  EXPECT_TRUE(restic({"backup", folder_ / "data"}));
  EXPECT_FALSE(restic({"prune"}));
  ASSERT_TRUE((*lock)->release());
  EXPECT_TRUE(restic({"prune"}));
}

TEST_F(Upkeep, WeHonourTheLockOfABackupThatRuns) {
  ASSERT_TRUE(restic({"forget", "--keep-last=1"}));
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  auto running = Process::start({"sh", "-c",
                                 fmt::format("{} -r {} --no-cache -q backup --stdin < {}", restic_,
                                             (folder_ / "repo").string(), pipe.string())});
  ASSERT_TRUE(running);
  const int end = ::open(pipe.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(end, 0);
  const auto repository = opened();
  const auto unreadable = [](const Id&, const Error&) {};
  while (list_locks(*repository, {}, unreadable)->empty()) std::this_thread::yield();

  const auto refused = prune({.max_unused = "0"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault(), Fault::Conflict);
  const auto checked = check(*repository, {}, kNoCheckProgress, {});
  EXPECT_TRUE(checked && checked->good());
  EXPECT_EQ(::write(end, "words", 5), 5);
  ::close(end);
  ASSERT_TRUE(running->finish());

  EXPECT_TRUE(prune({.max_unused = "0"}));
  EXPECT_TRUE(restic({"check"}));
}

TEST_F(Upkeep, ResticAcceptsAnIndexThatWeRepaired) {
  for (const auto& entry : fs::directory_iterator(folder_ / "repo/index")) fs::remove(entry.path());

  const auto repaired = repair_index(*opened(), {}, [](uint64_t, uint64_t) {}, {});

  ASSERT_TRUE(repaired) << repaired.error().what();
  EXPECT_TRUE(repaired->changed);
  expect_whole("repair");
}

}  // namespace
}  // namespace holdfast::repo
