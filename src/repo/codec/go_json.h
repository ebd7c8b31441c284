/// JSON as Go's encoding/json prints it: trees of ours and of restic must be the same bytes.
#pragma once

#include <holdfast/repo/id.h>
#include <holdfast/repo/tree.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::repo {

/// With quotes. <, > and & as \u003c …, U+2028 and U+2029 escaped, bytes that are not UTF-8 as
/// \ufffd.
void append_string(std::string& out, std::string_view text);
/// What strconv.Quote makes of a raw name, without its outer quotes: bytes that are not UTF-8 as
/// \xNN, control characters escaped, what is not printable as \u….
std::string go_quoted(std::string_view raw);
/// The reverse; nothing if it is no such text.
std::optional<std::string> go_unquoted(std::string_view quoted);

/// RFC 3339 with as many digits of the second as needed, and the offset it was said in.
void append_time(std::string& out, const NodeTime& time);
std::optional<NodeTime> parse_time(std::string_view text);
/// In UTC.
std::string time_text(WallTime time);
WallTime wall_time(const NodeTime& time);

}  // namespace holdfast::repo
