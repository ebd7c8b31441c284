/// Page files, whose pages are written over in place: databases, told by what their own programs
/// put at the beginning.
///
///   SQLite       "SQLite format 3\0", at 16 the size of a page
///   InnoDB       at 4 page number 0, at 24 type 8 (head of a tablespace), the space's number at 34
///                and again at 38; big-endian
///   PostgreSQL   at 12, 14, 16 where the free space of the page begins and ends and its special
///                space begins, at 18 its size and version 4; little-endian; files of whole pages
///   bbolt        at 8 flag 4 (meta page), at 16 0xED0CDAED, at 20 version 2; little-endian (etcd)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast::repo {

/// So much of a file is looked at.
inline constexpr size_t kPageFileHead = 64;

/// `head`: its first bytes. One that is taken for a database by mistake is cut at other places, and
/// that is all.
bool is_page_file(std::string_view head, uint64_t size);

}  // namespace holdfast::repo
