#include <holdfast/net/request_parser.h>

#include <fmt/format.h>

namespace holdfast::net {
namespace {

using State = RequestParser::State;

constexpr size_t kMaxBody = 1000;
constexpr std::string_view kPost =
    "POST /api/v1/pods?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";

TEST(RequestParser, ReadsHeadBodyAndQuery) {
  RequestParser parser(kMaxBody);

  ASSERT_EQ(parser.feed(kPost), State::Done);

  const Request request = parser.take();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/api/v1/pods");
  EXPECT_EQ(query_value(request.query, "x"), "1");
  EXPECT_EQ(request.body, "hello");
  EXPECT_EQ(request.headers.get("host"), "a");
  EXPECT_TRUE(parser.framing().keep_alive);
  EXPECT_FALSE(parser.started());
}

TEST(RequestParser, SplitAnywhereMeansTheSame) {
  for (size_t cut = 0; cut <= kPost.size(); ++cut) {
    RequestParser parser(kMaxBody);
    const State first = parser.feed(kPost.substr(0, cut));
    ASSERT_EQ(first, cut == kPost.size() ? State::Done : State::More) << cut;
    ASSERT_EQ(parser.feed(kPost.substr(cut)), State::Done) << cut;
    EXPECT_EQ(parser.take().body, "hello") << cut;
  }
}

TEST(RequestParser, ByteByByteChunkedBodyAndTrailersThatAreNotBelieved) {
  RequestParser parser(kMaxBody);
  const std::string_view text =
      "PUT /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\nX-Remote-User: root\r\n\r\n";

  State state = State::More;
  for (const char& c : text) {
    ASSERT_EQ(state, State::More);
    state = parser.feed({&c, 1});
  }

  ASSERT_EQ(state, State::Done);
  const Request request = parser.take();
  EXPECT_EQ(request.body, "abcde");
  EXPECT_FALSE(request.headers.has("X-Remote-User"));
}

TEST(RequestParser, KeepsPipelinedRequestsForLater) {
  RequestParser parser(kMaxBody);

  ASSERT_EQ(parser.feed(std::string(kPost) + "\r\nGET /two HTTP/1.1\r\nHost: a\r\n\r\n"),
            State::Done);
  EXPECT_EQ(parser.take().path, "/api/v1/pods");
  EXPECT_TRUE(parser.started());
  ASSERT_EQ(parser.feed(""), State::Done);

  EXPECT_EQ(parser.take().path, "/two");
  EXPECT_EQ(parser.kept(), 0u);
}

int status_of(std::string_view bytes, size_t step = 1 << 20) {
  RequestParser parser(kMaxBody);
  for (size_t at = 0; at < bytes.size(); at += step)
    if (parser.feed(bytes.substr(at, step)) == State::Failed) return parser.status();
  return 0;
}

TEST(RequestParser, GarbageIs400) {
  EXPECT_EQ(status_of("\x16\x03\x01\x02garbage\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/9.9\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400) << "no Host";
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nbad line\r\n\r\n"), 400);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(
      status_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
      400);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n"),
            400);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
            400);
}

TEST(RequestParser, TooLargeHeadIs431HoweverItArrives) {
  const std::string one_field =
      "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(70000, 'x') + "\r\n\r\n";
  std::string many_fields = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 7000; ++i) many_fields += "X: 1234567\r\n";
  const std::string long_target = "GET /" + std::string(70000, 'x');

  for (const std::string& text : {one_field, many_fields, long_target})
    for (const size_t step : {size_t(100), size_t(16384), text.size()})
      EXPECT_EQ(status_of(text, step), 431) << step;
}

TEST(RequestParser, TooLargeBodyIs413) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\n";

  EXPECT_EQ(status_of(head + "Content-Length: 1001\r\n\r\n"), 413)
      << "before a byte of it has come";
  EXPECT_EQ(status_of(head + "Content-Length: 99999999999\r\n\r\n"), 413);
  EXPECT_EQ(status_of(head + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n" + std::string(1001, 'x')),
            413);
  EXPECT_EQ(status_of(head + "Content-Length: 1000\r\n\r\n" + std::string(1000, 'x')), 0);
}

TEST(RequestParser, EndlessChunkExtensionIsRefused) {
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
                          std::string(200000, 'x'),
                      16384),
            400);
}

TEST(RequestParser, AsksOnceToTellTheClientToGoOn) {
  RequestParser parser(kMaxBody);

  parser.feed("PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");

  EXPECT_TRUE(parser.wants_continue());
  EXPECT_FALSE(parser.wants_continue());
  EXPECT_EQ(parser.feed("ok"), State::Done);
}

struct Refusal {
  std::string_view head;
  int status;
};

/// The same in one piece and byte by byte.
int either_way(std::string_view bytes) {
  EXPECT_EQ(status_of(bytes), status_of(bytes, 1)) << bytes;
  return status_of(bytes);
}

TEST(RequestParser, CodingsItDoesNotKnowAre501) {
  for (const Refusal& each :
       {Refusal{"Transfer-Encoding: xchunked", 501},
        Refusal{"Transfer-Encoding: gzip, chunked", 501},
        Refusal{"Transfer-Encoding: chunked, gzip", 501},
        Refusal{"Transfer-Encoding: identity", 501}, Refusal{"Transfer-Encoding: ", 501},
        Refusal{"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", 501},
        Refusal{"transfer-encoding: Chunked", 0}})
    EXPECT_EQ(
        either_way(fmt::format("POST /x HTTP/1.1\r\nHost: a\r\n{}\r\n\r\n0\r\n\r\n", each.head)),
        each.status)
        << each.head;
  EXPECT_EQ(either_way("POST /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
}

TEST(RequestParser, FoldedLinesAre400) {
  for (const std::string_view head :
       {"X: a\r\n b", "X: a\r\n\tb", " X: a", "X:\r\n a", "X: a\r\n "})
    EXPECT_EQ(either_way(fmt::format("GET /x HTTP/1.1\r\n{}\r\nHost: a\r\n\r\n", head)), 400)
        << head;
}

TEST(RequestParser, ABodyMayBeginLikeAFoldedLine) {
  EXPECT_EQ(either_way("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n \r\n \r\n"), 0);
}

TEST(RequestParser, OldClientsGetNoChunksAndNoKeepAlive) {
  RequestParser parser(kMaxBody);

  ASSERT_EQ(parser.feed("GET / HTTP/1.0\r\n\r\n"), State::Done);

  EXPECT_FALSE(parser.framing().chunked);
  EXPECT_FALSE(parser.framing().keep_alive);
}

}  // namespace
}  // namespace holdfast::net
