#include "chunk/page_file.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::repo {
namespace {

constexpr uint64_t kSize = uint64_t{1} << 20;

std::string with(std::string head, size_t at, std::string_view bytes) {
  return head.replace(at, bytes.size(), bytes);
}

const std::string kZeros(kPageFileHead, '\0');

TEST(PageFiles, AreToldByTheirBeginning) {
  EXPECT_TRUE(is_page_file(with(kZeros, 0, std::string_view("SQLite format 3\0\x10", 17)), kSize));

  std::string innodb = with(kZeros, 0, "\x12\x34\x56\x78");
  innodb = with(innodb, 24, std::string_view("\0\x08", 2));
  innodb = with(innodb, 34, std::string_view("\0\0\0\x2a\0\0\0\x2a", 8));
  EXPECT_TRUE(is_page_file(innodb, kSize));
  EXPECT_FALSE(is_page_file(with(innodb, 41, "\x2b"), kSize)) << "two numbers of one space";
  EXPECT_FALSE(is_page_file(with(innodb, 7, "\x01"), kSize)) << "not its first page";

  std::string postgresql = with(kZeros, 12, std::string_view("\x1c\0\xf0\x1f\0\x20\x04\x20", 8));
  EXPECT_TRUE(is_page_file(postgresql, kSize));
  EXPECT_FALSE(is_page_file(postgresql, kSize + 1)) << "not whole pages";
  EXPECT_FALSE(is_page_file(with(postgresql, 12, "\xff\xff"), kSize))
      << "free space beyond its end";
  EXPECT_FALSE(is_page_file(with(postgresql, 18, "\x05"), kSize)) << "another version";

  std::string bbolt = with(kZeros, 8, "\x04");
  bbolt = with(bbolt, 16, std::string_view("\xed\xda\x0c\xed\x02\0\0\0", 8));
  EXPECT_TRUE(is_page_file(bbolt, kSize));
  EXPECT_FALSE(is_page_file(with(bbolt, 20, "\x03"), kSize));
}

TEST(PageFiles, OtherFilesAreNone) {
  EXPECT_FALSE(is_page_file(kZeros, kSize));
  EXPECT_FALSE(is_page_file("", 0));
  EXPECT_FALSE(is_page_file("SQLite format 3", 15));
  EXPECT_FALSE(is_page_file(std::string(kPageFileHead, 'x'), kSize));
  EXPECT_FALSE(is_page_file(with(kZeros, 0,
                                 "\x7f"
                                 "ELF"),
                            kSize));
}

}  // namespace
}  // namespace holdfast::repo
