// Logs of containers: lines, cuts, rotation, tails, following.
#include "serve/log_stream.h"

#include "shim/log_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace holdfast::node {
namespace {

using namespace std::chrono_literals;

struct Folder {
  Folder() {
    char name[] = "/tmp/holdfast-logs-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

const WallTime kStart{std::chrono::seconds(1700000000)};

std::string read_all(const std::filesystem::path& file, const LogOptions& options) {
  const std::shared_ptr<net::BodyStream> stream = open_log(file, options, [] { return true; });
  std::string out;
  while (stream->read(out) == net::BodyStream::State::Ready) continue;
  return out;
}

TEST(Logs, LinesArriveAsWritten) {
  const Folder folder;
  LogFile log(folder.path / "0.log", 1 << 20, 5);
  ASSERT_TRUE(log.open());
  LogFile::Stream out(log, "stdout"), err(log, "stderr");
  out.add("one\ntw", kStart);
  err.add("oops\n", kStart + 1s);
  out.add("o\nthree", kStart + 2s);
  out.end(kStart + 3s);
  EXPECT_EQ(read_all(folder.path / "0.log", {}), "one\noops\ntwo\nthree");
  LogOptions options;
  options.stream = "Stderr";
  EXPECT_EQ(read_all(folder.path / "0.log", options), "oops\n");
  options = {};
  options.since = kStart + 2s;
  EXPECT_EQ(read_all(folder.path / "0.log", options), "two\nthree");
  options.timestamps = true;
  EXPECT_EQ(read_all(folder.path / "0.log", options).substr(0, 28), "2023-11-14T22:13:22.000000Z ");
}

TEST(Logs, LongLinesAreCutAndRejoined) {
  const Folder folder;
  LogFile log(folder.path / "0.log", 1 << 20, 5);
  ASSERT_TRUE(log.open());
  LogFile::Stream out(log, "stdout");
  const std::string line(50000, 'x');
  out.add(line + "\nshort\n", kStart);
  EXPECT_EQ(read_all(folder.path / "0.log", {}), line + "\nshort\n");
}

TEST(Logs, TailsCountFromTheEndAcrossRotation) {
  const Folder folder;
  LogFile log(folder.path / "0.log", 2000, 3);
  ASSERT_TRUE(log.open());
  LogFile::Stream out(log, "stdout");
  for (int i = 0; i < 100; ++i) out.add("line " + std::to_string(i) + "\n", kStart);
  EXPECT_TRUE(std::filesystem::exists(folder.path / "0.log.1"));
  EXPECT_FALSE(std::filesystem::exists(folder.path / "0.log.3"));
  LogOptions options;
  options.tail_lines = 2;
  EXPECT_EQ(read_all(folder.path / "0.log", options), "line 98\nline 99\n");
  options.tail_lines = 60;
  const std::string many = read_all(folder.path / "0.log", options);
  EXPECT_EQ(many.substr(0, 8), "line 40\n");
  options.tail_lines = 0;
  EXPECT_EQ(read_all(folder.path / "0.log", options), "");
  options = {};
  options.limit_bytes = 10;
  EXPECT_EQ(read_all(folder.path / "0.log", options).size(), 10U);
}

TEST(Logs, FollowersMissNothingOverARotation) {
  const Folder folder;
  LogFile log(folder.path / "0.log", 300, 9);
  ASSERT_TRUE(log.open());
  LogFile::Stream out(log, "stdout");
  LogOptions options;
  options.follow = true;
  bool over = false;
  const std::shared_ptr<net::BodyStream> stream =
      open_log(folder.path / "0.log", options, [&over] { return over; });
  std::string got, wanted;
  for (int i = 0; i < 30; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    out.add(line, kStart);
    wanted += line;
    while (stream->read(got) == net::BodyStream::State::Ready) continue;
  }
  over = true;
  while (stream->read(got) != net::BodyStream::State::End) continue;
  EXPECT_EQ(got, wanted);
}

TEST(Logs, BadLinesAreNone) {
  EXPECT_FALSE(parse_log_line(""));
  EXPECT_FALSE(parse_log_line("2023-11-14T22:13:22Z stdout"));
  EXPECT_FALSE(parse_log_line("2023-11-14T22:13:22Z stdout X text"));
  const std::optional<LogLine> empty = parse_log_line("2023-11-14T22:13:22Z stdout F ");
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->text, "");
}

}  // namespace
}  // namespace holdfast::node
