/// A WebSocket without a socket: two ends in one process, with a bounded queue each way.
#pragma once

#include <holdfast/net/websocket.h>

#include <memory>
#include <string>
#include <utility>

namespace holdfast::net {

/// An end that is destroyed without close() cuts the other off, as a lost connection would.
std::pair<std::shared_ptr<WebSocket>, std::shared_ptr<WebSocket>> make_websocket_pair(
    const std::string& protocol, const WebSocketLimits& limits);

}  // namespace holdfast::net
