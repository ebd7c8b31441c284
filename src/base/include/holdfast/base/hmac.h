/// HMAC-SHA256 (RFC 2104): a text under a key that the other side has too.
#pragma once

#include <string>
#include <string_view>

namespace holdfast {

/// The 32 raw bytes.
std::string hmac_sha256(std::string_view key, std::string_view text);

}  // namespace holdfast
