// A repository in a bucket, from init to restore, while the service fails in every way it can.
#include <holdfast/base/files.h>
#include <holdfast/blob/s3.h>
#include <holdfast/repo/backup.h>
#include <holdfast/repo/check.h>
#include <holdfast/repo/restore.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <s3_double/double.h>

#include <atomic>
#include <filesystem>

namespace holdfast::repo {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* kPassword = "secret";

/// What happens when the client is about to send its nth request.
struct Moment {
  int request = 0;
  std::function<void()> happens{};
};

struct InABucket : testing::Test {
  SystemClock clock;
  SystemRandom random;
  SeededRandom bytes{7};
  fs::path folder{};
  std::unique_ptr<s3_double::Double> service{};
  std::atomic<int> asked{0};
  Moment moment{};

  void SetUp() override {
    folder = fs::path(testing::TempDir()) / ("bucket-" + random.uuid());
    ASSERT_TRUE(make_folder(folder / "data/sub", 0700));
    for (int i = 0; i < 30; ++i) write(fmt::format("data/sub/small-{}", i), bytes.bytes(3000));
    write("data/large", bytes.bytes(9'000'000));
  }
  void TearDown() override {
    service.reset();
    fs::remove_all(folder);
  }

  void start(s3_double::Options options = {}) {
    service = s3_double::Double::start(std::move(options), clock).take();
  }
  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file(folder / name, text, 0600));
  }
  /// Pauses are short: the double recovers at once.
  std::shared_ptr<blob::Store> store(std::chrono::milliseconds give_up = 60s) {
    blob::S3Settings settings{.endpoint = fmt::format("http://127.0.0.1:{}", service->port()),
                              .bucket = "bucket",
                              .prefix = "repository",
                              .credentials = [this]() -> Result<blob::S3Key> {
                                if (++asked == moment.request) moment.happens();
                                return blob::S3Key{"double", "double-secret", ""};
                              },
                              .create_bucket = true,
                              .retry = {.first = 1ms, .longest = 20ms, .give_up = give_up}};
    auto made = blob::s3_store(std::move(settings), {.clock = clock, .random = random});
    EXPECT_TRUE(made) << made.error().what();
    return made.take();
  }
  Surroundings surroundings() { return {clock, random, "host", "user", 0, 0, 1}; }
  /// Deriving a key takes long on purpose: a repository is opened once and handed on.
  std::unique_ptr<Indexed> init_repository(const std::shared_ptr<blob::Store>& at) {
    auto made = repo::init(at, kPassword, {}, surroundings());
    EXPECT_TRUE(made) << made.error().what();
    return load_index(made.take(), {}).take();
  }
  std::unique_ptr<Indexed> open_repository(const std::shared_ptr<blob::Store>& at) {
    auto made = repo::open(at, kPassword, surroundings());
    EXPECT_TRUE(made) << made.error().what();
    auto index = load_index(made.take(), {});
    EXPECT_TRUE(index) << index.error().what();
    return index.take();
  }
  Result<BackupResult> back_up_data(Indexed& index) {
    BackupOptions options{.paths = {(folder / "data").string()}, .host = "host"};
    options.pack_size = uint64_t{1} << 20;
    return back_up(index, options, [](const BackupProgress&) {}, {});
  }
  static void expect_whole(Opened& repository) {
    const auto result =
        check(repository, {.data = CheckOptions::Data::All}, [](const CheckProgress&) {}, {});
    ASSERT_TRUE(result) << result.error().what();
    for (const Damage& damage : result->damages)
      EXPECT_TRUE(damage.hint) << damage.place << ": " << damage.what;
  }
  void expect_restores(Indexed& index, const Snapshot& snapshot) {
    const fs::path target = folder / ("back-" + random.uuid());
    const auto done =
        restore(index, snapshot, {.target = target.string()}, [](const RestoreProgress&) {}, {});
    ASSERT_TRUE(done) << done.error().what();
    EXPECT_TRUE(done->errors.empty()) << done->errors.front();
    for (const auto& entry : fs::recursive_directory_iterator(folder / "data")) {
      if (!entry.is_regular_file()) continue;
      const fs::path back = target.string() + entry.path().string();
      EXPECT_TRUE(*read_file(back) == *read_file(entry.path())) << back;
    }
  }
};

TEST_F(InABucket, StormsResetsAndLostAnswersAreRiddenOut) {
  start({.page = 5});
  const auto at = store();
  service->set_weather({.slow_down = 0.1,
                        .internal_error = 0.05,
                        .lost_answer = 0.1,
                        .reset = 0.05,
                        .half_upload = 0.1,
                        .truncated = 0.1,
                        .twice = 0.1,
                        .conflict = 0.1});
  const auto index = init_repository(at);
  const auto first = back_up_data(*index);
  ASSERT_TRUE(first) << first.error().what();
  write("data/large", bytes.bytes(5'000'000));
  const auto second = back_up_data(*index);
  ASSERT_TRUE(second) << second.error().what();

  const auto again = open_repository(at);
  expect_whole(again->repository());
  expect_restores(*again, *second->snapshot);
  EXPECT_EQ(list_snapshots(again->repository(), {}, [](const Id&, const Error&) {})->size(), 2U);
}

TEST_F(InABucket, ASecondInitLosesAlsoWhereTheBucketLies) {
  for (const auto conditional :
       {s3_double::Conditional::Overwrites, s3_double::Conditional::Says501}) {
    start({.conditional = conditional});
    const auto at = store();
    const auto index = init_repository(at);
    const std::string config = at->get("config").take();

    const auto again = repo::init(store(), kPassword, {}, surroundings());

    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().fault(), Fault::Conflict) << again.error().what();
    EXPECT_EQ(*at->get("config"), config);
    expect_whole(index->repository());
  }
}

struct Ended : InABucket, testing::WithParamInterface<int> {
  /// One snapshot is there; the next backup meets the moment at its nth request.
  void SetUp() override {
    InABucket::SetUp();
    start();
    index = init_repository(store(0ms));
    before = back_up_data(*index)->snapshot;
    ASSERT_TRUE(before);
    fs::copy(folder / "data", folder / "kept", fs::copy_options::recursive);
    write("data/large", bytes.bytes(9'000'000));
    asked = 0;
  }
  /// As good as before, and the next backup needs nothing special.
  void expect_as_before() {
    moment = {};
    const auto again = open_repository(store());
    expect_whole(again->repository());
    const auto after = back_up_data(*again);
    ASSERT_TRUE(after) << after.error().what();
    expect_restores(*again, *after->snapshot);
    fs::rename(folder / "data", folder / "newer");
    fs::rename(folder / "kept", folder / "data");
    expect_restores(*again, *before);
  }
  std::unique_ptr<Indexed> index{};
  std::optional<Snapshot> before{};
};

TEST_P(Ended, KeysThatExpireInMidBackup) {
  moment = {GetParam(), [this] { service->rotate("next", "next-secret", "", "ExpiredToken"); }};

  const auto done = back_up_data(*index);

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().fault(), Fault::Denied) << done.error().what();
  EXPECT_NE(done.error().what().find("ExpiredToken"), std::string::npos) << done.error().what();
  EXPECT_NE(done.error().hint().find("renew"), std::string::npos) << done.error().hint();
  service->rotate("double", "double-secret", "", "");
  expect_as_before();
}

TEST_P(Ended, AServiceThatGoesAwayInMidBackup) {
  moment = {GetParam(), [this] { service->set_weather({.reset = 0.5, .half_upload = 1}); }};

  const auto done = back_up_data(*index);

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().fault(), Fault::Unavailable) << done.error().what();
  service->set_weather({});
  expect_as_before();
}

// A backup lists and reads the snapshots, puts some ten packs, an index and a snapshot. How many
// packs depends on how its threads share the data: the last of these is well before the end.
INSTANTIATE_TEST_SUITE_P(AtRequest, Ended, testing::Values(4, 7, 10));

}  // namespace
}  // namespace holdfast::repo
