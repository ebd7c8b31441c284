#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/model/field_text.h>
#include <holdfast/protect/cut/server_log.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace holdfast::protect {
namespace {

namespace fs = std::filesystem;

constexpr const char *kFirst = "000000010000000000000004", *kLast = "000000010000000000000005";

constexpr const char* kLabel = "START WAL LOCATION: 0/4000028 (file 000000010000000000000004)\n";

/// Three volumes, as the pod has them.
class PutLogBack : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "log-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    for (const char* each : {"kept/pg/wal", "log/pg/wal", "data/pg"})
      fs::create_directories(root_ / each);
    task_.kept = root_ / "kept";
    task_.target = root_ / "log";
    task_.data = root_ / "data";
    task_.log.directory = "pg/wal";
    task_.log.data_directory = "pg";
    task_.log.segments = {kFirst, kLast};
    task_.log.files["backup_label"] = base64(kLabel);
    write("kept/pg/wal", kFirst, "first");
    write("kept/pg/wal", kLast, "last!");
    write("kept/pg/wal", "000000010000000000000006", "later");
    write("log/pg/wal", kFirst, "fi   ");
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const char* folder, const std::string& name, std::string_view text) const {
    ASSERT_TRUE(write_file(root_ / folder / name, text, 0600));
  }
  std::string read(const char* path) const {
    const Result<std::string> out = read_file(root_ / path);
    return out ? *out : "none";
  }
  std::string trouble() const {
    const Result<void> out = put_log_back(task_);
    return out ? "" : out.error().what();
  }

  fs::path root_{};
  LogTask task_{};
};

TEST_F(PutLogBack, SegmentsAndLabelStandWhereTheServerLooks) {
  const Result<int> code = put_log_back(std::string_view(model::fields_to_json(task_)));

  ASSERT_TRUE(code) << code.error().what();
  EXPECT_EQ(read((std::string("log/pg/wal/") + kFirst).c_str()), "first");
  EXPECT_EQ(read((std::string("log/pg/wal/") + kLast).c_str()), "last!");
  EXPECT_EQ(read("data/pg/backup_label"), kLabel);
  EXPECT_FALSE(fs::exists(root_ / "log/pg/wal/000000010000000000000006"));
  EXPECT_EQ(trouble(), "");  // once more changes nothing
}

TEST_F(PutLogBack, ASegmentThatIsMissingIsNamedAndNoLabelIsWritten) {
  fs::remove(root_ / "kept/pg/wal" / kLast);
  EXPECT_NE(trouble().find(kLast), std::string::npos);
  EXPECT_FALSE(fs::exists(root_ / "data/pg/backup_label"));
}

TEST_F(PutLogBack, ASegmentThatIsShortIsRefused) {
  write("kept/pg/wal", kLast, "las");
  EXPECT_NE(trouble().find("has 3 bytes, not 5"), std::string::npos) << trouble();
}

TEST_F(PutLogBack, NoLinkLeadsOutOfAVolume) {
  fs::remove_all(root_ / "data/pg");
  fs::create_directory_symlink(root_ / "kept", root_ / "data/pg");
  EXPECT_NE(trouble().find("leads out of it"), std::string::npos) << trouble();

  fs::remove(root_ / "kept/pg/wal" / kLast);
  fs::create_symlink("/etc/hostname", root_ / "kept/pg/wal" / kLast);
  fs::remove(root_ / "data/pg");
  fs::create_directory(root_ / "data/pg");
  EXPECT_NE(trouble().find("has no segment"), std::string::npos) << trouble();
}

TEST_F(PutLogBack, WhatWouldLeadOutOfAVolumeIsRefused) {
  ASSERT_TRUE(check(task_.log));
  const auto with = [&](auto change) {
    LogRecord out = task_.log;
    change(out);
    return bool(check(out));
  };
  EXPECT_FALSE(with([](LogRecord& log) { log.directory = "../etc"; }));
  EXPECT_FALSE(with([](LogRecord& log) { log.data_directory = "/etc"; }));
  EXPECT_FALSE(with([](LogRecord& log) { log.segments = {}; }));
  EXPECT_FALSE(with([](LogRecord& log) { log.segments = {"../../etc/shadow"}; }));
  EXPECT_FALSE(with([](LogRecord& log) { log.segments = {kLast, kFirst}; }));
  EXPECT_FALSE(with([](LogRecord& log) { log.segments = {kLast}; }));
  EXPECT_FALSE(with([](LogRecord& log) { log.files["pg_hba.conf"] = "bGFiZWw="; }));
  EXPECT_FALSE(with([](LogRecord& log) { log.files["backup_label"] = "%"; }));
  EXPECT_FALSE(with([](LogRecord& log) { log.files.clear(); }));
}

TEST_F(PutLogBack, ATaskThatIsNoneIsRefused) {
  EXPECT_FALSE(put_log_back(std::string_view("{")));
  EXPECT_FALSE(put_log_back(std::string_view(R"({"log":5})")));
}

}  // namespace
}  // namespace holdfast::protect
