// An init that was cut off, or that meets another, leaves a repository that every tool can open: as
// restic reads it, by the first key that the password fits, whichever that is.
#include <holdfast/blob/forwarding.h>

#include "open/config.h"
#include "upkeep/sample.h"

#include <gtest/gtest.h>

namespace holdfast::repo {
namespace {

/// Passes everything on, and does something else first when a name is put or got.
class Watched final : public blob::Forwarding {
 public:
  using Forwarding::Forwarding;
  std::function<Result<void>(const std::string&)> before_put{}, before_get{};

  Result<void> put(const std::string& name, std::string_view bytes,
                   const blob::PutOptions& options) override {
    if (before_put) HF_TRY(before_put(name));
    return Forwarding::put(name, bytes, options);
  }
  Result<void> read(const std::string& name, std::optional<blob::Range> range,
                    std::string& into) override {
    if (before_get) HF_TRY(before_get(name));
    return Forwarding::read(name, range, into);
  }
};

struct Init : testing::Test {
  SystemClock clock_{};
  SystemRandom random_{};
  Surroundings around_{clock_, random_, "host", "user"};
  std::shared_ptr<blob::Store> store_ = blob::memory_store();

  /// A key is there, and no config.
  void cut_off(std::string_view password) {
    const auto watched = std::make_shared<Watched>(store_);
    watched->before_put = [](const std::string& name) -> Result<void> {
      if (name == "config") return Error(Fault::Unavailable, "the power is cut");
      return ok();
    };
    ASSERT_FALSE(init(watched, password, {}, around_));
  }
  /// What an init of restic 0.14 does that is cut off: it looks at no other keys.
  void leave_key(std::string_view password) {
    const KeyFile file = make_key_file(make_master_key(random_), password, around_).take();
    const std::string json = to_json(file);
    HF_CHECK(bool(store_->put("keys/" + hash(json).hex(), json)));
  }
  std::vector<std::string> keys() {
    std::vector<std::string> out;
    HF_CHECK(bool(store_->list("keys/", [&](const blob::Info& i) { out.push_back(i.name); })));
    return out;
  }
  /// With the first key that the password fits, and no other; each must be one.
  bool opens_as_restic_does(std::string_view password) {
    for (const std::string& name : keys()) {
      const Result<KeyFile> file = parse_key_file(store_->get(name).take());
      if (!file) return false;
      const Result<MasterKey> key = open_key_file(*file, password);
      if (key && !Sealer(*key).open(store_->get("config").take())) return false;
    }
    return bool(open(store_, password, around_));
  }
};

TEST_F(Init, ThatWasCutOffIsTakenUpByTheNext) {
  cut_off("secret");
  ASSERT_EQ(keys().size(), 1U);
  const std::vector<std::string> left = keys();

  ASSERT_TRUE(init(store_, "secret", {}, around_));

  EXPECT_EQ(keys(), left);
  EXPECT_TRUE(opens_as_restic_does("secret"));
}

TEST_F(Init, WithAnotherPasswordLeavesNoKeyOfTheOneBefore) {
  cut_off("other");

  const auto made = init(store_, "secret", {}, around_);

  ASSERT_TRUE(made);
  EXPECT_TRUE(opens_as_restic_does("secret"));
  EXPECT_EQ(open(store_, "other", around_).error().fault(), Fault::Denied);
  // The old key would be found before the new one of that password.
  ASSERT_TRUE(add_key(**made, "other"));
  EXPECT_TRUE(opens_as_restic_does("other"));
}

TEST_F(Init, TakesUpOneOfSeveralThatWereCutOffAndRemovesTheOthers) {
  for (const char* password : {"secret", "other", "secret", "third", "secret"}) leave_key(password);
  ASSERT_EQ(keys().size(), 5U);

  ASSERT_TRUE(init(store_, "secret", {}, around_));

  EXPECT_EQ(keys().size(), 1U);
  EXPECT_TRUE(opens_as_restic_does("secret"));
}

TEST_F(Init, IsNotInTheWayOfAKeyThatCannotBeRead) {
  for (const std::string_view bytes : {"", "{\"created\":", "{\"salt\":\"!\"}"}) {
    store_ = blob::memory_store();
    ASSERT_TRUE(store_->put("keys/" + hash(bytes).hex(), bytes));

    ASSERT_TRUE(init(store_, "secret", {}, around_)) << bytes;

    EXPECT_EQ(keys().size(), 1U) << bytes;
    EXPECT_TRUE(opens_as_restic_does("secret")) << bytes;
  }
}

TEST_F(Init, DoesNotGuessAboutAKeyThatTheStoreDoesNotHandOut) {
  cut_off("secret");
  const auto shut = std::make_shared<Watched>(store_);
  shut->before_get = [](const std::string&) { return Error(Fault::Denied, "GET: 403"); };

  EXPECT_EQ(init(shut, "secret", {}, around_).error().fault(), Fault::Denied);

  EXPECT_EQ(keys().size(), 1U);
  EXPECT_FALSE(store_->stat("config"));
}

TEST_F(Init, ThatWasOvertakenLeavesTheOtherRepositoryAlone) {
  for (const bool taken_up : {false, true}) {
    for (const char* password : {"secret", "other"}) {
      store_ = blob::memory_store();
      const auto watched = std::make_shared<Watched>(store_);
      // Another begins and ends before our key is put, or between it and our config.
      watched->before_put = [&](const std::string& name) -> Result<void> {
        if (name.starts_with("keys/") == taken_up || store_->stat("config")) return ok();
        HF_TRY(init(store_, password, {}, around_));
        return ok();
      };

      EXPECT_EQ(init(watched, "secret", {}, around_).error().fault(), Fault::Conflict);

      EXPECT_EQ(keys().size(), 1U);
      EXPECT_TRUE(opens_as_restic_does(password));
    }
  }
}

TEST_F(Init, RefusesAPlaceWhereOnlyTheConfigIsMissing) {
  for (const char* name : {"snapshots/", "index/", "data/ab/"}) {
    store_ = blob::memory_store();
    ASSERT_TRUE(store_->put(name + std::string(64, 'a'), "sealed"));

    const auto made = init(store_, "secret", {}, around_);

    ASSERT_FALSE(made) << name;
    EXPECT_EQ(made.error().fault(), Fault::Conflict);
    EXPECT_NE(made.error().what().find("lost its config"), std::string::npos);
    EXPECT_TRUE(keys().empty());
  }
}

TEST_F(Init, OpenTellsALostConfigFromAnEmptyPlace) {
  const auto empty = open(store_, "secret", around_);
  cut_off("secret");
  const auto lost = open(store_, "secret", around_);

  ASSERT_FALSE(empty || lost);
  EXPECT_EQ(empty.error().fault(), Fault::NotFound);
  EXPECT_EQ(empty.error().what().find("config"), std::string::npos);
  EXPECT_EQ(lost.error().fault(), Fault::NotFound);
  EXPECT_NE(lost.error().what().find("lost its config"), std::string::npos);
}

TEST_F(Init, OpenPassesOverAKeyThatOnlyHasThePassword) {
  ASSERT_TRUE(init(store_, "secret", {}, around_));
  for (int i = 0; i < 4; ++i) leave_key("secret");

  EXPECT_TRUE(open(store_, "secret", around_));

  // With a damaged config none fits; that is not the password's fault.
  ASSERT_TRUE(store_->remove("config"));
  ASSERT_TRUE(store_->put("config", std::string(100, 'x')));
  const auto opened = open(store_, "secret", around_);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault(), Fault::Corrupt);
  EXPECT_NE(opened.error().what().find("config"), std::string::npos);
}

TEST_F(Init, OpenNamesAKeyThatIsDamagedAndDoesNotBlameThePassword) {
  const auto made = init(store_, "secret", {}, around_);
  ASSERT_TRUE(made);
  ASSERT_TRUE(add_key(**made, "second"));
  const std::string name = "keys/" + (*made)->key().hex(), whole = store_->get(name).take();
  // In the salt: it reads as a key, but not as that of the password.
  std::string bytes = whole;
  const size_t salt = bytes.find("\"salt\":\"") + 10;
  bytes[salt] = bytes[salt] == 'A' ? 'B' : 'A';
  ASSERT_TRUE(store_->put(name, bytes));

  const auto opened = open(store_, "secret", around_);

  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().fault(), Fault::Corrupt);
  EXPECT_NE(opened.error().what().find(name), std::string::npos) << opened.error().what();
  EXPECT_TRUE(open(store_, "second", around_));
}

TEST(ConfigOfAStranger, HasAnIdThatNamesAFolderAndNoPath) {
  const auto with_id = [](const std::string& id) {
    return parse_config(R"({"version":2,"chunker_polynomial":"3da3358b4dc173","id":")" + id +
                        "\"}");
  };
  EXPECT_TRUE(with_id(std::string(64, 'a')));
  for (const std::string& id : {std::string("../../../../root/.ssh"), std::string("/etc/cron.d"),
                                std::string(), std::string(63, 'a'), std::string(65, 'a')})
    EXPECT_FALSE(with_id(id)) << id;
}

}  // namespace
}  // namespace holdfast::repo
