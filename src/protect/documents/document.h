/// Document: a small text file that a move carries in its own object, such as the catalogue of a
/// backup.
#pragma once

#include <string_view>

namespace holdfast::protect {

/// Of one, and of all that a status tells: an object of the API has room for three times as much.
inline constexpr size_t kMostDocument = size_t{512} << 10;

/// The name of a file, not a path.
bool is_document_name(std::string_view name);
/// UTF-8 without control characters other than tab, line feed and carriage return: all others
/// would be six times their size in JSON, or could not be said in it.
bool is_document_text(std::string_view text);

}  // namespace holdfast::protect
