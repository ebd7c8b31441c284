#include "websocket/handshake.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/random.h>
#include <holdfast/base/text.h>
#include <holdfast/net/websocket.h>

#include "tls/openssl.h"

#include <algorithm>
#include <array>

namespace holdfast::net {
namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Items of a field that is a list, over all its lines.
std::vector<std::string_view> items(const Headers& headers, std::string_view name) {
  std::vector<std::string_view> out;
  for (const std::string_view line : headers.all(name))
    for (const std::string_view item : split(line, ','))
      if (!trim(item).empty()) out.push_back(trim(item));
  return out;
}

bool has_token(const Headers& headers, std::string_view name, std::string_view token) {
  const auto all = items(headers, name);
  return std::any_of(all.begin(), all.end(),
                     [&](std::string_view item) { return to_lower(item) == token; });
}

}  // namespace

std::string websocket_key() { return base64(SystemRandom().bytes(16)); }

std::string websocket_accept(std::string_view key) {
  const std::string text = std::string(key).append(kGuid);
  std::array<char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  const int done =
      EVP_Digest(text.data(), text.size(), reinterpret_cast<unsigned char*>(digest.data()), &size,
                 EVP_sha1(), nullptr);
  HF_CHECK(done == 1);
  return base64({digest.data(), size});
}

void ask_for_websocket(Headers& headers, const std::vector<std::string>& protocols,
                       std::string_view key) {
  headers.set("Connection", "Upgrade");
  headers.set("Upgrade", "websocket");
  headers.set("Sec-WebSocket-Version", "13");
  headers.set("Sec-WebSocket-Key", key);
  if (!protocols.empty()) headers.set("Sec-WebSocket-Protocol", join(protocols, ", "));
}

std::string accept_of(const Request& request) {
  if (request.method != "GET" || !asks_for_websocket(request)) return {};
  if (request.headers.get("Sec-WebSocket-Version") != "13") return {};
  const std::string_view key = trim(request.headers.get("Sec-WebSocket-Key"));
  const auto bytes = from_base64(key);
  if (!bytes || bytes->size() != 16) return {};
  return websocket_accept(key);
}

std::string_view wrong_with(const Response& answer, std::string_view key,
                            const std::vector<std::string>& protocols) {
  if (!has_token(answer.headers, "Upgrade", "websocket") ||
      !has_token(answer.headers, "Connection", "upgrade"))
    return "the server switches to something else than WebSocket";
  if (answer.headers.get("Sec-WebSocket-Accept") != websocket_accept(key))
    return "the server's Sec-WebSocket-Accept is not the answer to our key";
  if (answer.headers.has("Sec-WebSocket-Extensions"))
    return "the server uses an extension that was not offered";
  const std::string_view agreed = answer.headers.get("Sec-WebSocket-Protocol");
  if (agreed.empty() && !answer.headers.has("Sec-WebSocket-Protocol")) return {};
  if (std::find(protocols.begin(), protocols.end(), agreed) == protocols.end())
    return "the server chose a subprotocol that was not offered";
  return {};
}

bool asks_for_websocket(const Request& request) {
  return has_token(request.headers, "Connection", "upgrade") &&
         has_token(request.headers, "Upgrade", "websocket");
}

std::string agreed_protocol(const Request& request,
                            std::initializer_list<std::string_view> served) {
  for (const std::string_view offered : items(request.headers, "Sec-WebSocket-Protocol"))
    if (std::find(served.begin(), served.end(), offered) != served.end())
      return std::string(offered);
  return {};
}

Response go_on_as_websocket(std::string_view protocol, Talk talk) {
  Response response{.status = 101};
  if (!protocol.empty()) response.headers.set("Sec-WebSocket-Protocol", protocol);
  response.talk = std::move(talk);
  return response;
}

}  // namespace holdfast::net
