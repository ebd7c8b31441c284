#include "websocket/frames.h"

#include <gtest/gtest.h>

#include <vector>

namespace holdfast::net {
namespace {

constexpr uint32_t kKey = 0x04030201;
using Item = FrameReader::Item;

/// What comes out when the bytes come in pieces of `piece`.
std::vector<Item> read(FrameReader& reader, std::string_view bytes, size_t piece) {
  std::vector<Item> out;
  while (!bytes.empty()) {
    std::string_view part = bytes.substr(0, piece);
    bytes.remove_prefix(part.size());
    while (!part.empty())
      if (auto item = reader.next(part)) out.push_back(std::move(*item));
  }
  return out;
}

/// A frame with any first byte, masked as a client's.
std::string raw(uint8_t first, std::string_view payload) {
  std::string out = frame(Opcode::Binary, payload, kKey);
  out[0] = char(first);
  return out;
}

int code_after(std::string_view bytes, size_t max_message = 1000, bool masked = true) {
  FrameReader reader(masked, max_message);
  read(reader, bytes, bytes.size());
  return reader.failure() ? reader.failure()->code : 0;
}

TEST(Frames, LengthsOfEveryFormComeBackInEveryCut) {
  for (const size_t size : {0U, 1U, 125U, 126U, 127U, 65535U, 65536U, 70000U})
    for (const bool masked : {true, false}) {
      std::string payload(size, 'x');
      for (size_t i = 0; i < size; ++i) payload[i] = char(i * 31);
      const std::string bytes =
          frame(Opcode::Binary, payload, masked ? std::optional(kKey) : std::nullopt);
      for (const size_t piece : {1U, 3U, 1000U, 100000U}) {
        FrameReader reader(masked, 1 << 20);
        const auto items = read(reader, bytes, piece);
        ASSERT_EQ(items.size(), 1U) << size << " in pieces of " << piece;
        EXPECT_EQ(items[0].data, payload);
        EXPECT_EQ(items[0].kind, Opcode::Binary);
      }
    }
}

TEST(Frames, TheExampleOfTheStandardIsRead) {
  FrameReader reader(true, 1000);
  const auto items = read(reader, "\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58", 100);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].data, "Hello");
  EXPECT_EQ(items[0].kind, Opcode::Text);
}

TEST(Frames, PartsAreJoinedAndControlFramesMayStandBetween) {
  FrameReader reader(true, 1000);
  const std::string bytes = raw(0x02, "ab") + raw(0x89, "ping") + raw(0x00, "cd") + raw(0x80, "ef");
  const auto items = read(reader, bytes, 1);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].kind, Opcode::Ping);
  EXPECT_EQ(items[0].data, "ping");
  EXPECT_EQ(items[1].data, "abcdef");
}

TEST(Frames, ACloseHasACodeAndAReason) {
  FrameReader reader(true, 1000);
  const auto items =
      read(reader, frame(Opcode::Close, close_payload(1011, "why"), kKey) + raw(0x82, "late"), 100);
  ASSERT_EQ(items.size(), 1U) << "what comes after a close is ignored";
  EXPECT_EQ(items[0].code, 1011);
  EXPECT_EQ(items[0].data, "why");
  FrameReader other(true, 1000);
  EXPECT_EQ(read(other, raw(0x88, ""), 100).at(0).code, kNoCloseCode);
}

TEST(Frames, AReasonIsCutBetweenCharacters) {
  const std::string payload = close_payload(1000, std::string(122, 'x') + "é");
  EXPECT_EQ(payload.size(), 2U + 122U);
}

TEST(Frames, WhatBreaksTheProtocolEndsWithItsCode) {
  EXPECT_EQ(code_after(frame(Opcode::Binary, "x", std::nullopt)), 1002) << "not masked";
  EXPECT_EQ(code_after(frame(Opcode::Binary, "x", kKey), 1000, false), 1002) << "masked";
  EXPECT_EQ(code_after(raw(0xc2, "x")), 1002) << "reserved bit";
  for (const int first : {0x83, 0x87, 0x8b, 0x8f})
    EXPECT_EQ(code_after(raw(uint8_t(first), "")), 1002) << "opcode " << first;
  EXPECT_EQ(code_after(raw(0x09, "x")), 1002) << "a ping in parts";
  EXPECT_EQ(code_after(raw(0x89, std::string(126, 'x'))), 1002) << "a long ping";
  EXPECT_EQ(code_after(raw(0x80, "x")), 1002) << "a part without a beginning";
  EXPECT_EQ(code_after(raw(0x02, "x") + raw(0x82, "y")), 1002) << "a beginning within a message";
  EXPECT_EQ(code_after(raw(0x81, "\xff")), 1007);
  EXPECT_EQ(code_after(raw(0x88, "x")), 1002) << "half a code";
  for (const int code : {0, 999, 1004, 1005, 1006, 1015, 2999, 5000})
    EXPECT_EQ(code_after(raw(0x88, std::string{char(code >> 8), char(code)})), 1002) << code;
  EXPECT_EQ(code_after(raw(0x88, "\x03\xe8\xff")), 1007);
}

TEST(Frames, AMessageOverTheBoundIsRefusedBeforeItHasCome) {
  // 2^40 bytes are promised, none sent.
  const std::string promise("\x82\xff\0\0\1\0\0\0\0\0abcd", 14);
  EXPECT_EQ(code_after(promise), 1009);
  EXPECT_EQ(code_after(raw(0x02, std::string(600, 'x')) + raw(0x80, std::string(401, 'x'))), 1009);
  EXPECT_EQ(code_after(raw(0x02, std::string(600, 'x')) + raw(0x80, std::string(400, 'x'))), 0);
  EXPECT_EQ(code_after(std::string("\x82\xff\xff\0\1\0\0\0\0\0abcd", 14)), 1002) << "top bit";
}

TEST(Frames, ALengthInTooLongAFormIsRefused) {
  EXPECT_EQ(code_after(std::string("\x82\xfe\0\x05"
                                   "abcd",
                                   8)),
            1002);
  EXPECT_EQ(code_after(std::string("\x82\xff\0\0\0\0\0\0\xff\xff"
                                   "abcd",
                                   14)),
            1002);
}

}  // namespace
}  // namespace holdfast::net
