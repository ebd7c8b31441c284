/// WebSocket handshake: the request's fields, and the answer that proves it was read.
#pragma once

#include <holdfast/net/http.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::net {

/// Adds the fields of the request.
void ask_for_websocket(Headers& headers, const std::vector<std::string>& protocols,
                       std::string_view key);
/// Sixteen random bytes, as base64.
std::string websocket_key();
/// Sec-WebSocket-Accept for a key.
std::string websocket_accept(std::string_view key);

/// The answer's Sec-WebSocket-Accept, or "" if the request may not be answered with a 101.
std::string accept_of(const Request& request);

/// "" if the answer is a valid 101 to what was asked, else what is wrong with it.
std::string_view wrong_with(const Response& answer, std::string_view key,
                            const std::vector<std::string>& protocols);

}  // namespace holdfast::net
