#include "websocket/handshake.h"

#include <holdfast/net/websocket.h>

#include "client/response_parser.h"

#include <gtest/gtest.h>

namespace holdfast::net {
namespace {

constexpr std::string_view kKey = "dGhlIHNhbXBsZSBub25jZQ==";

Request asking() {
  Request request{.method = "GET"};
  ask_for_websocket(request.headers, {"v5.channel.k8s.io", "v4.channel.k8s.io"}, kKey);
  return request;
}

Response agreeing() {
  Response answer{.status = 101};
  answer.headers.set("Upgrade", "WebSocket");
  answer.headers.set("Connection", "keep-alive, upgrade");
  answer.headers.set("Sec-WebSocket-Accept", websocket_accept(kKey));
  return answer;
}

TEST(Handshake, TheExampleOfTheStandard) {
  EXPECT_EQ(websocket_accept(kKey), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(Handshake, OnlyAProperRequestMayGoOn) {
  EXPECT_FALSE(accept_of(asking()).empty());
  const auto without = [](std::string_view name, std::string_view value) {
    Request request = asking();
    request.headers.set(name, value);
    return accept_of(request);
  };
  EXPECT_EQ(without("Upgrade", "SPDY/3.1"), "");
  EXPECT_EQ(without("Connection", "keep-alive"), "");
  EXPECT_EQ(without("Sec-WebSocket-Version", "8"), "");
  EXPECT_EQ(without("Sec-WebSocket-Key", "c2hvcnQ="), "");
  EXPECT_EQ(without("Sec-WebSocket-Key", "not base64 of anything"), "");
  Request post = asking();
  post.method = "POST";
  EXPECT_EQ(accept_of(post), "");
}

TEST(Handshake, TheClientsOrderDecidesTheSubprotocol) {
  EXPECT_EQ(agreed_protocol(asking(), {"v4.channel.k8s.io", "v5.channel.k8s.io"}),
            "v5.channel.k8s.io");
  EXPECT_EQ(agreed_protocol(asking(), {"v4.channel.k8s.io"}), "v4.channel.k8s.io");
  EXPECT_EQ(agreed_protocol(asking(), {"channel.k8s.io"}), "");
}

TEST(Handshake, AnAnswerMustProveThatItWasMeant) {
  const std::vector<std::string> protocols{"v5"};
  EXPECT_EQ(wrong_with(agreeing(), kKey, protocols), "");
  Response chosen = agreeing();
  chosen.headers.set("Sec-WebSocket-Protocol", "v5");
  EXPECT_EQ(wrong_with(chosen, kKey, protocols), "");
  chosen.headers.set("Sec-WebSocket-Protocol", "v4");
  EXPECT_NE(wrong_with(chosen, kKey, protocols), "");
  EXPECT_NE(wrong_with(agreeing(), "another", protocols), "");
  Response extended = agreeing();
  extended.headers.set("Sec-WebSocket-Extensions", "permessage-deflate");
  EXPECT_NE(wrong_with(extended, kKey, protocols), "");
  Response spdy = agreeing();
  spdy.headers.set("Upgrade", "SPDY/3.1");
  EXPECT_NE(wrong_with(spdy, kKey, protocols), "");
}

TEST(ResponseParser, WhatFollowsA101IsNotHttp) {
  ResponseParser parser(100);
  EXPECT_EQ(parser.feed("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching"),
            ResponseParser::State::More);
  EXPECT_EQ(parser.feed(" Protocols\r\nUpgrade: websocket\r\n\r\n\x82\x01x"),
            ResponseParser::State::Done);
  EXPECT_EQ(parser.take().headers.get("Upgrade"), "websocket");
  EXPECT_EQ(parser.take_rest(), "\x82\x01x");
}

TEST(ResponseParser, ARefusalHasABodyByLengthByChunksOrUntilTheEnd) {
  ResponseParser by_length(100);
  EXPECT_EQ(by_length.feed("HTTP/1.1 403 Forbidden\r\nContent-Length: 3\r\n\r\nabc"),
            ResponseParser::State::Done);
  EXPECT_EQ(by_length.take().body, "abc");
  ResponseParser by_chunks(100);
  EXPECT_EQ(
      by_chunks.feed("HTTP/1.1 403 F\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
      ResponseParser::State::Done);
  EXPECT_EQ(by_chunks.take().body, "abc");
  ResponseParser by_end(100);
  EXPECT_EQ(by_end.feed("HTTP/1.1 403 Forbidden\r\n\r\nabc"), ResponseParser::State::More);
  EXPECT_EQ(by_end.end(), ResponseParser::State::Done);
  EXPECT_EQ(by_end.take().body, "abc");
}

TEST(ResponseParser, BoundsHold) {
  ResponseParser body(10);
  EXPECT_EQ(body.feed("HTTP/1.1 403 F\r\nContent-Length: 11\r\n\r\n"),
            ResponseParser::State::Failed);
  EXPECT_TRUE(body.too_long());
  ResponseParser head(10);
  auto state = head.feed("HTTP/1.1 403 F\r\n");
  for (int i = 0; i < 100000 && state == ResponseParser::State::More; ++i)
    state = head.feed("A: b\r\n");
  EXPECT_EQ(state, ResponseParser::State::Failed);
  ResponseParser nothing(10);
  EXPECT_EQ(nothing.end(), ResponseParser::State::Failed);
  ResponseParser garbage(10);
  EXPECT_EQ(garbage.feed("SSH-2.0-OpenSSH_9.2\r\n\r\n"), ResponseParser::State::Failed);
}

}  // namespace
}  // namespace holdfast::net
