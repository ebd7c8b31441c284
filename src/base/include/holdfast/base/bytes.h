/// Bytes as text and back, and SHA-256, the digest used for names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace holdfast {

std::string hex(std::string_view bytes);
std::string base64(std::string_view bytes);
/// Strict: standard alphabet, padding required, no white space (Go's StdEncoding less its tolerance
/// of newlines).
std::optional<std::string> from_base64(std::string_view text);
/// URL alphabet without padding, as JWT and continue tokens use.
std::string base64url(std::string_view bytes);
std::optional<std::string> from_base64url(std::string_view text);

/// The 32 raw bytes.
std::string sha256(std::string_view bytes);
/// Equal length and bytes, in time that does not depend on where they differ.
bool equal_secret(std::string_view a, std::string_view b);
/// True if every byte sequence is well-formed UTF-8 (no surrogates, no overlong forms).
bool is_utf8(std::string_view text);

}  // namespace holdfast
