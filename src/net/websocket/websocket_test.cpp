/// Both ends against each other, over plain TCP, TLS and within the process; and our server against
/// clients that send what they like.
#include <holdfast/net/in_process.h>
#include <holdfast/net/websocket.h>

#include "server/test_server.h"
#include "websocket/frames.h"
#include "websocket/handshake.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;
using Socket = std::shared_ptr<WebSocket>;

constexpr std::string_view kKey = "dGhlIHNhbXBsZSBub25jZQ==";
const std::vector<std::string> kProtocols{"v5.channel.k8s.io", "v4.channel.k8s.io"};

/// Sends back what comes, until the end.
void echo(const Socket& socket) {
  for (;;) {
    auto message = socket->receive();
    if (!message || !*message) return;
    if (!socket->send((*message)->data)) return;
  }
}

enum class Way { Tcp, Tls, InProcess };

/// A server that goes on with `talk`, and a client of it.
class Bed {
 public:
  explicit Bed(Talk talk, Way way = Way::Tcp, const ServerOptions& given = {}) {
    service_.answer = [talk = std::move(talk)](const Request& request, const Respond& respond) {
      if (request.path == "/refused") return respond({.status = 403, .body = "no"});
      respond(go_on_as_websocket(
          agreed_protocol(request, {"v5.channel.k8s.io", "v4.channel.k8s.io"}), talk));
    };
    ServerOptions options = given;
    if (way == Way::Tls) {
      options.certificate = pki_.server;
      options.key = pki_.server_key.private_pem;
      options.client_ca = pki_.ca;
    }
    if (way == Way::InProcess) {
      client_ = make_in_process(service_, {.address = "in-process"});
      return;
    }
    server_ = Server::start(options, service_).take();
    client_ = Client::make({.base_url = fmt_url(way),
                            .ca = pki_.ca,
                            .certificate = pki_.client,
                            .key = pki_.client_key.private_pem,
                            .websocket = limits})
                  .take();
  }
  std::string fmt_url(Way way) const {
    return (way == Way::Tls ? "https://127.0.0.1:" : "http://127.0.0.1:") +
           std::to_string(server_->port());
  }
  Result<Connected> try_connect(const std::string& target = "/talk") {
    return client_->connect({.target = target}, kProtocols);
  }
  Socket connect() {
    auto connected = try_connect();
    EXPECT_TRUE(connected) << connected.error().what();
    if (!connected) return nullptr;
    EXPECT_EQ(connected->answer.status, 101) << connected->answer.body;
    return connected->socket;
  }
  Server& server() { return *server_; }
  Client& client() { return *client_; }
  const TestPki& pki() const { return pki_; }
  void drop_client() { client_.reset(); }

  WebSocketLimits limits{};

 private:
  TestPki pki_;
  LambdaService service_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Client> client_;
};

class WebSockets : public testing::TestWithParam<Way> {};
std::string name_of(const testing::TestParamInfo<Way>& given) {
  if (given.param == Way::InProcess) return "InProcess";
  return given.param == Way::Tls ? "Tls" : "Tcp";
}
INSTANTIATE_TEST_SUITE_P(Ways, WebSockets, testing::Values(Way::Tcp, Way::Tls, Way::InProcess),
                         name_of);

std::string pattern(size_t size) {
  std::string out(size, '\0');
  for (size_t i = 0; i < size; ++i) out[i] = char(i * 7 + i / 251);
  return out;
}

TEST_P(WebSockets, MessagesOfAllSizesComeBack) {
  Bed bed(echo, GetParam());
  const Socket socket = bed.connect();
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->protocol(), "v5.channel.k8s.io");
  for (const size_t size : {0U, 1U, 125U, 126U, 65535U, 65536U, 300000U, 1U << 20}) {
    const std::string sent = pattern(size);
    std::thread sender([&] { EXPECT_TRUE(socket->send(sent)); });
    auto back = socket->receive();
    sender.join();
    ASSERT_TRUE(back) << back.error().what();
    ASSERT_TRUE(*back);
    EXPECT_EQ((*back)->data, sent);
    EXPECT_FALSE((*back)->text);
  }
  socket->close(WebSocket::kNormal, "");
}

TEST_P(WebSockets, BothDirectionsAtOnceLoseNothing) {
  Bed bed(echo, GetParam());
  const Socket socket = bed.connect();
  ASSERT_TRUE(socket);
  constexpr int kMessages = 2000;
  std::thread sender([&] {
    for (int i = 0; i < kMessages; ++i)
      EXPECT_TRUE(socket->send(std::to_string(i) + std::string(size_t(i), 'x')));
  });
  for (int i = 0; i < kMessages; ++i) {
    auto back = socket->receive();
    ASSERT_TRUE(back && *back) << i;
    ASSERT_EQ((*back)->data, std::to_string(i) + std::string(size_t(i), 'x'));
  }
  sender.join();
}

TEST_P(WebSockets, TheServersCloseArrivesAfterItsMessages) {
  Bed bed(
      [](const Socket& socket) {
        for (int i = 0; i < 50; ++i)
          if (!socket->send(pattern(20000))) return;
        socket->close(3001, "enough");
      },
      GetParam());
  const Socket socket = bed.connect();
  ASSERT_TRUE(socket);
  for (int i = 0; i < 50; ++i) {
    auto message = socket->receive();
    ASSERT_TRUE(message && *message) << i;
  }
  auto end = socket->receive();
  ASSERT_TRUE(end) << end.error().what();
  EXPECT_FALSE(*end);
  ASSERT_TRUE(socket->closing());
  EXPECT_EQ(socket->closing()->code, 3001);
  EXPECT_EQ(socket->closing()->reason, "enough");
  EXPECT_FALSE(socket->send("late"));
  EXPECT_FALSE(*socket->receive()) << "again the same";
}

TEST_P(WebSockets, AClientsCloseReachesWhoReceives) {
  Signal over;
  int code = 0;
  Bed bed(
      [&](const Socket& socket) {
        auto message = socket->receive();
        EXPECT_TRUE(message && !*message);
        if (socket->closing()) code = socket->closing()->code;
        over.set();
      },
      GetParam());
  const Socket socket = bed.connect();
  ASSERT_TRUE(socket);
  socket->close(WebSocket::kPolicy, "why not");
  EXPECT_TRUE(over.wait());
  EXPECT_EQ(code, WebSocket::kPolicy);
}

TEST_P(WebSockets, AClientThatIsGoneIsNoticed) {
  Signal over;
  Bed bed(
      [&](const Socket& socket) {
        (void)socket->receive();
        EXPECT_FALSE(socket->send("x"));
        over.set();
      },
      GetParam());
  bed.connect().reset();
  EXPECT_TRUE(over.wait());
}

TEST_P(WebSockets, CloseWakesWhoReceives) {
  Signal begun, over;
  Bed bed(echo, GetParam());
  const Socket socket = bed.connect();
  ASSERT_TRUE(socket);
  std::thread receiver([&] {
    begun.set();
    auto message = socket->receive();
    EXPECT_TRUE(message && !*message);
    over.set();
  });
  EXPECT_TRUE(begun.wait());
  socket->close(WebSocket::kNormal, "");
  EXPECT_TRUE(over.wait());
  receiver.join();
}

TEST_P(WebSockets, AServerThatDoesNotReadMakesTheSenderWaitUntilClosed) {
  Signal stop, full;
  Bed bed([&](const Socket&) { stop.wait(); }, GetParam());
  const Socket socket = bed.connect();
  ASSERT_TRUE(socket);
  std::atomic<int> sent{0};
  std::thread sender([&] {
    const std::string data = pattern(100000);
    while (socket->send(data)) ++sent;
  });
  // It stops taking, sooner or later: then the number does not change any more.
  int before = -1;
  EXPECT_TRUE(eventually([&] { return std::exchange(before, sent.load()) == sent && sent > 1; }));
  EXPECT_LT(sent, 1000);
  socket->close(WebSocket::kNormal, "");
  sender.join();
  stop.set();
}

TEST_P(WebSockets, ARefusalIsAResponse) {
  Bed bed(echo, GetParam());
  auto connected = bed.try_connect("/refused");
  ASSERT_TRUE(connected) << connected.error().what();
  EXPECT_EQ(connected->answer.status, 403);
  EXPECT_EQ(connected->answer.body, "no");
  EXPECT_FALSE(connected->socket);
}

TEST_P(WebSockets, WaitEndsInTime) {
  Bed bed(echo, GetParam());
  const Socket socket = bed.connect();
  ASSERT_TRUE(socket);
  const SystemClock clock;
  EXPECT_FALSE(socket->wait(clock.mono() + 20ms));
  EXPECT_TRUE(socket->send("x"));
  EXPECT_TRUE(socket->wait(MonoTime::max()));
  EXPECT_TRUE(socket->wait(MonoTime(0)));
  EXPECT_EQ((**socket->receive()).data, "x");
}

TEST_P(WebSockets, AMessageOverTheBoundEndsTheConnection) {
  Bed bed(echo, GetParam());
  const Socket socket = bed.connect();
  ASSERT_TRUE(socket);
  std::thread sender([&] { (void)socket->send(std::string((1U << 20) + 1, 'x')); });
  auto end = socket->receive();
  sender.join();
  if (end) {
    EXPECT_FALSE(*end);
    ASSERT_TRUE(socket->closing());
    EXPECT_EQ(socket->closing()->code, 1009);
  }
  EXPECT_FALSE(socket->send("x"));
}

TEST(WebSocketServer, StopEndsWhatTalksAndWaitsForIt) {
  std::atomic<bool> returned{false};
  Signal begun;
  Bed bed([&](const Socket& socket) {
    begun.set();
    (void)socket->receive();
    returned = true;
  });
  const Socket socket = bed.connect();
  ASSERT_TRUE(socket && begun.wait());
  bed.server().stop(1s);
  EXPECT_TRUE(returned);
  auto end = socket->receive();
  EXPECT_TRUE(end && !*end);
  ASSERT_TRUE(socket->closing());
  EXPECT_EQ(socket->closing()->code, WebSocket::kGoingAway);
}

TEST(WebSocketServer, TheInProcessClientsEndEndsWhatTalks) {
  std::atomic<bool> returned{false};
  Bed bed(
      [&](const Socket& socket) {
        (void)socket->receive();
        returned = true;
      },
      Way::InProcess);
  const Socket socket = bed.connect();
  bed.drop_client();
  EXPECT_TRUE(returned);
  EXPECT_FALSE(socket->send("x"));
}

TEST(WebSocketServer, TooManyAtOnceAreRefused) {
  Bed bed(echo, Way::Tcp, {.max_talks = 2});
  const Socket one = bed.connect(), two = bed.connect();
  auto third = bed.try_connect();
  ASSERT_TRUE(third);
  EXPECT_EQ(third->answer.status, 503);
  EXPECT_TRUE(eventually([&] { return bed.server().connections() == 2; }));
  one->close(WebSocket::kNormal, "");
  (void)one->receive();
  Socket again;
  EXPECT_TRUE(eventually([&] {
    if (!again) again = bed.try_connect().take().socket;
    return again != nullptr;
  }));
}

TEST(WebSocketServer, APeerThatIsSilentIsGivenUp) {
  Signal over;
  std::string why;
  Bed bed(
      [&](const Socket& socket) {
        auto message = socket->receive();
        if (!message) why = message.error().what();
        over.set();
      },
      Way::Tcp, {.websocket = {.ping_every = 20ms, .silence = 100ms}});
  const Socket socket = bed.connect();  // nobody receives: pings stay unanswered
  ASSERT_TRUE(socket && over.wait());
  EXPECT_NE(why.find("silent"), std::string::npos) << why;
}

TEST(WebSocketServer, APeerThatAnswersPingsIsKept) {
  Bed bed(echo, Way::Tcp, {.websocket = {.ping_every = 10ms, .silence = 60000ms}});
  const Socket socket = bed.connect();
  ASSERT_TRUE(socket);
  const SystemClock clock;
  EXPECT_FALSE(socket->wait(clock.mono() + 200ms));
  EXPECT_TRUE(socket->send("x"));
  auto back = socket->receive();
  EXPECT_TRUE(back && *back && (*back)->data == "x");
}

TEST(WebSocketServer, APeerThatTakesNothingIsGivenUpWhileSending) {
  Signal over;
  Bed bed(
      [&](const Socket& socket) {
        const std::string data = pattern(500000);
        while (socket->send(data)) {
        }
        over.set();
      },
      Way::Tcp, {.websocket = {.stall = 300ms}});
  const Socket socket = bed.connect();
  EXPECT_TRUE(socket && over.wait());
}

/// A client by hand, past its handshake.
class Hand {
 public:
  explicit Hand(Bed& bed) : raw_(bed.server().port()) {
    Request request;
    ask_for_websocket(request.headers, kProtocols, kKey);
    std::string text = "GET /talk HTTP/1.1\r\nHost: x\r\n";
    for (const auto& [name, value] : request.headers) text += name + ": " + value + "\r\n";
    raw_.send(text + "\r\n");
    head = raw_.read_until("\r\n\r\n");
  }
  RawClient& raw() { return raw_; }
  /// All items until the server ends the connection.
  std::vector<FrameReader::Item> rest() {
    const std::string bytes = raw_.read_all();
    FrameReader reader(false, 1 << 20);
    std::string_view left = bytes;
    std::vector<FrameReader::Item> out;
    while (!left.empty())
      if (auto item = reader.next(left)) out.push_back(std::move(*item));
    return out;
  }
  std::string head;

 private:
  RawClient raw_;
};

TEST(WebSocketServer, TheAnswerIsWhatTheStandardAsks) {
  Bed bed(echo);
  Hand hand(bed);
  EXPECT_TRUE(hand.head.starts_with("HTTP/1.1 101 ")) << hand.head;
  for (const char* field : {"Upgrade: websocket\r\n", "Connection: Upgrade\r\n",
                            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
                            "Sec-WebSocket-Protocol: v5.channel.k8s.io\r\n"})
    EXPECT_NE(hand.head.find(field), std::string::npos) << field << "in\n" << hand.head;
  EXPECT_EQ(hand.head.find("Content-Length"), std::string::npos);
}

TEST(WebSocketServer, PartsPingsAndAnOrderlyEnd) {
  Bed bed(echo);
  Hand hand(bed);
  const auto part = [](uint8_t first, std::string_view text) {
    std::string out = frame(Opcode::Binary, text, 7);
    out[0] = char(first);
    return out;
  };
  hand.raw().send(part(0x02, "a") + part(0x89, "hello") + part(0x00, "b") + part(0x80, "c") +
                  frame(Opcode::Close, close_payload(1000, ""), 7));
  const auto items = hand.rest();
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].kind, Opcode::Pong);
  EXPECT_EQ(items[0].data, "hello");
  EXPECT_EQ(items[1].data, "abc");
  EXPECT_EQ(items[2].kind, Opcode::Close);
  EXPECT_EQ(items[2].code, 1000);
}

TEST(WebSocketServer, HostileFramesEndWithACodeAndDisturbNobody) {
  Bed bed(echo);
  const Socket other = bed.connect();
  const std::vector<std::pair<std::string, int>> cases{
      {frame(Opcode::Binary, "x", std::nullopt), 1002},
      {std::string("\x83\x80"
                   "abcd",
                   6),
       1002},
      {std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff"
                   "abcd",
                   14),
       1009},
      {std::string("\xf2\x80"
                   "abcd",
                   6),
       1002}};
  for (const auto& [bytes, code] : cases) {
    Hand hand(bed);
    hand.raw().send(bytes + std::string(50000, 'x'));
    const auto items = hand.rest();
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].kind, Opcode::Close);
    EXPECT_EQ(items[0].code, code);
  }
  EXPECT_TRUE(other->send("x"));
  EXPECT_TRUE(*other->receive());
}

TEST(WebSocketServer, WhatIsNoUpgradeIsAnswered400) {
  Bed bed(echo);
  auto response = bed.client().call({.target = "/talk"});
  ASSERT_TRUE(response) << response.error().what();
  EXPECT_EQ(response->status, 400);
}

TEST(WebSocketClient, AServerThatAgreesWithoutProofIsRefused) {
  LambdaService service;
  service.answer = [](const Request&, const Respond& respond) { respond({.status = 200}); };
  auto server = Server::start({}, service).take();
  // A plain HTTP server that has never heard of it is no error: its answer is.
  auto client =
      Client::make({.base_url = "http://127.0.0.1:" + std::to_string(server->port())}).take();
  auto connected = client->connect({.target = "/"}, kProtocols);
  ASSERT_TRUE(connected);
  EXPECT_EQ(connected->answer.status, 200);
  server->stop(0ms);
  connected = client->connect({.target = "/"}, kProtocols);
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().fault(), Fault::Unavailable);
}

TEST(WebSocketClient, TimeLimitAndStopHoldUntilTheAnswer) {
  LambdaService service;
  Mutex mutex;
  std::vector<Respond> held;
  service.answer = [&](const Request&, Respond respond) {
    const Lock lock(mutex);
    held.push_back(std::move(respond));
  };
  auto server = Server::start({}, service).take();
  auto client =
      Client::make({.base_url = "http://127.0.0.1:" + std::to_string(server->port())}).take();
  auto late = client->connect({.target = "/", .timeout = 50ms}, kProtocols);
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().what().find("no answer within"), std::string::npos) << late.error().what();
  std::stop_source stop;
  std::thread stopper([&] {
    eventually([&] {
      const Lock lock(mutex);
      return held.size() == 2;
    });
    stop.request_stop();
  });
  auto stopped = client->connect({.target = "/", .stop = stop.get_token()}, kProtocols);
  stopper.join();
  ASSERT_FALSE(stopped);
  EXPECT_NE(stopped.error().what().find("stopped by the caller"), std::string::npos);
  server->stop(0ms);
}

TEST(WebSocketClient, ACertificateOfAnotherAuthorityIsDenied) {
  Bed bed(echo, Way::Tls);
  const TestPki other;
  auto client = Client::make({.base_url = bed.fmt_url(Way::Tls), .ca = other.ca}).take();
  auto connected = client->connect({.target = "/talk"}, kProtocols);
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().fault(), Fault::Denied);
  auto trusting = Client::make({.base_url = bed.fmt_url(Way::Tls), .insecure = true}).take();
  connected = trusting->connect({.target = "/talk"}, kProtocols);
  ASSERT_TRUE(connected);
  EXPECT_TRUE(connected->socket);
}

TEST(WebSocketClient, APinnedCertificateIsTrustedAloneAndWhateverItsName) {
  Bed bed(echo, Way::Tls);
  const auto connect = [&](const std::string& pinned) {
    auto client = Client::make({.base_url = bed.fmt_url(Way::Tls), .pinned = pinned}).take();
    return client->connect({.target = "/talk"}, kProtocols);
  };
  auto pinned = connect(bed.pki().server);
  ASSERT_TRUE(pinned) << pinned.error().what();
  EXPECT_TRUE(pinned->socket);
  for (const std::string& other : {bed.pki().ca, bed.pki().client, std::string("nonsense")}) {
    auto refused = connect(other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().fault(), Fault::Denied) << refused.error().what();
  }
}

TEST(WebSocketClient, OutlivesItsClient) {
  Bed bed(echo, Way::Tls);
  const Socket socket = bed.connect();
  bed.drop_client();
  EXPECT_TRUE(socket->send("x"));
  auto back = socket->receive();
  EXPECT_TRUE(back && *back);
}

}  // namespace
}  // namespace holdfast::net
