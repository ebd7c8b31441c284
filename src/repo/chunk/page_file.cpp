#include "chunk/page_file.h"

namespace holdfast::repo {
namespace {

uint32_t little(std::string_view head, size_t at, size_t bytes) {
  uint32_t out = 0;
  for (size_t i = bytes; i-- > 0;) out = out << 8 | uint8_t(head[at + i]);
  return out;
}

uint32_t big(std::string_view head, size_t at, size_t bytes) {
  uint32_t out = 0;
  for (size_t i = 0; i < bytes; ++i) out = out << 8 | uint8_t(head[at + i]);
  return out;
}

bool is_sqlite(std::string_view head) {
  return head.starts_with(std::string_view("SQLite format 3\0", 16));
}

bool is_innodb(std::string_view head) {
  constexpr uint32_t kSpaceHead = 8;
  return big(head, 4, 4) == 0 && big(head, 24, 2) == kSpaceHead &&
         big(head, 34, 4) == big(head, 38, 4);
}

bool is_postgresql(std::string_view head, uint64_t size) {
  constexpr uint32_t kVersion = 4, kLeastPage = 1024, kMostPage = 32768, kHeader = 24;
  const uint32_t size_and_version = little(head, 18, 2);
  const uint32_t page = size_and_version & 0xff00;
  if ((size_and_version & 0xff) != kVersion || page < kLeastPage || page > kMostPage) return false;
  const bool power_of_two = (page & (page - 1)) == 0;
  const uint32_t lower = little(head, 12, 2), upper = little(head, 14, 2);
  const uint32_t special = little(head, 16, 2);
  return power_of_two && size % page == 0 && kHeader <= lower && lower <= upper &&
         upper <= special && special <= page;
}

bool is_bbolt(std::string_view head) {
  constexpr uint32_t kMeta = 4, kMagic = 0xED0CDAED, kVersion = 2;
  return little(head, 8, 2) == kMeta && little(head, 16, 4) == kMagic &&
         little(head, 20, 4) == kVersion;
}

}  // namespace

bool is_page_file(std::string_view head, uint64_t size) {
  if (head.size() < kPageFileHead) return false;
  return is_sqlite(head) || is_innodb(head) || is_postgresql(head, size) || is_bbolt(head);
}

}  // namespace holdfast::repo
