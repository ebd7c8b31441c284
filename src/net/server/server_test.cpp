#include <holdfast/net/server.h>

#include "server/test_server.h"

#include <fmt/format.h>

#include <thread>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kGet = "GET /x HTTP/1.1\r\nHost: a\r\n\r\n";

struct PlainServer : testing::Test {
  LambdaService service;
  ServerOptions options;
  std::unique_ptr<Server> server;

  void SetUp() override {
    service.answer = [](const Request& request, const Respond& respond) {
      respond({.body = request.method + " " + request.path + " " + request.body});
    };
    options.error_page = [](int status, std::string_view reason) {
      return Response{.status = status, .body = "page: " + std::string(reason)};
    };
  }
  RawClient connect(int receive_buffer = 0) { return RawClient(server->port(), receive_buffer); }
  void start() {
    auto started = Server::start(options, service);
    ASSERT_TRUE(started) << started.error().what();
    server = started.take();
  }
  bool wait_for_connections(size_t count) const {
    return eventually([&] { return server->connections() == count; });
  }
};

TEST_F(PlainServer, AnswersManyRequestsOnOneConnectionAlsoPipelined) {
  start();
  RawClient client = connect();

  client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi" + std::string(kGet) +
              std::string(kGet));

  const std::string first = client.read_until("POST /a hi");
  EXPECT_TRUE(first.starts_with("HTTP/1.1 200 OK\r\n")) << first;
  EXPECT_NE(first.find("Content-Length: 10\r\n"), std::string::npos);
  EXPECT_NE(first.find("Date: "), std::string::npos);
  EXPECT_TRUE(client.read_until("GET /x ").ends_with("GET /x "));
  EXPECT_TRUE(client.read_until("GET /x ").ends_with("GET /x "));
  EXPECT_EQ(server->connections(), 1u);
}

TEST_F(PlainServer, LooksAtConnectionsUntilTheServiceHoldsAllThreads) {
  const SystemClock clock;
  Signal inside, leave;
  options.threads = 1;
  options.idle_timeout = options.read_timeout = options.write_timeout = 1s;
  service.answer = [&](const Request&, const Respond& respond) {
    inside.set();
    leave.wait();
    respond({});
  };
  start();
  const MonoTime first = server->last_look();
  EXPECT_TRUE(eventually([&] { return server->last_look() > first; }));

  RawClient client = connect();
  client.send(kGet);
  ASSERT_TRUE(inside.wait());
  const MonoTime last = server->last_look();
  EXPECT_TRUE(eventually([&] { return clock.mono() - last > 1s; }));
  EXPECT_EQ(server->last_look(), last);

  leave.set();
  EXPECT_TRUE(eventually([&] { return server->last_look() > last; }));
}

TEST_F(PlainServer, HeadHasLengthButNoBody) {
  start();
  RawClient client = connect();

  client.send("HEAD /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

  const std::string all = client.read_all();
  EXPECT_NE(all.find("Content-Length: 8\r\n"), std::string::npos) << all;
  EXPECT_TRUE(all.ends_with("\r\n\r\n"));
}

TEST_F(PlainServer, TellsTheClientToGoOnBeforeItsBody) {
  start();
  RawClient client = connect();

  client.send("PUT /x HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ok");

  EXPECT_TRUE(client.read_until("PUT /x ok").ends_with("PUT /x ok"));
}

TEST_F(PlainServer, AnswerMayComeFromAnotherThread) {
  std::thread answering;
  service.answer = [&](const Request&, Respond respond) {
    answering =
        std::thread([respond = std::move(respond)] { respond({.status = 201, .body = "late"}); });
  };
  start();
  RawClient client = connect();

  client.send(kGet);

  EXPECT_TRUE(client.read_until("late").starts_with("HTTP/1.1 201 Created\r\n"));
  answering.join();
}

TEST_F(PlainServer, SecondAnswerIsIgnoredAndForgottenOneIs500) {
  service.answer = [](const Request& request, const Respond& respond) {
    if (request.path == "/forgotten") return;
    respond({.body = "first"});
    respond({.body = "second"});
  };
  start();
  RawClient client = connect();

  client.send(kGet);
  EXPECT_TRUE(client.read_until("first").ends_with("first"));
  client.send("GET /forgotten HTTP/1.1\r\nHost: a\r\n\r\n");

  EXPECT_TRUE(client.read_until("page:").starts_with("HTTP/1.1 500 "));
}

TEST_F(PlainServer, GarbageIs400ThroughTheErrorPageAndEndsTheConnection) {
  start();
  RawClient client = connect();

  client.send(std::string("\x01\x02\xff garbage\r\n\r\n") + std::string(100000, '\xee'));

  const std::string all = client.read_all();
  EXPECT_TRUE(all.starts_with("HTTP/1.1 400 Bad Request\r\n")) << all;
  EXPECT_NE(all.find("page: "), std::string::npos);
  EXPECT_NE(all.find("Connection: close\r\n"), std::string::npos);
}

TEST_F(PlainServer, OversizedBodyIs413WhileItIsStillBeingSent) {
  options.max_body = 1000;
  start();
  RawClient client = connect();

  client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
  client.send(std::string(1000000, 'x'));

  const std::string all = client.read_all();
  EXPECT_TRUE(all.starts_with("HTTP/1.1 413 ")) << all;
  EXPECT_NE(all.find("page: "), std::string::npos);
}

TEST_F(PlainServer, OversizedHeadIs431) {
  start();
  RawClient client = connect();

  client.send("GET /x HTTP/1.1\r\nHost: a\r\nX: " + std::string(70000, 'x') + "\r\n\r\n");

  EXPECT_TRUE(client.read_all().starts_with("HTTP/1.1 431 "));
}

TEST_F(PlainServer, LineBreaksInHeaderValuesCannotMakeFields) {
  service.answer = [](const Request&, const Respond& respond) {
    Response response{.body = "ok"};
    response.headers.add("Warning", "a\r\nSet-Cookie: b");
    response.headers.add("Content-Length", "1");
    respond(std::move(response));
  };
  start();
  RawClient client = connect();

  client.send(kGet);

  const std::string all = client.read_until("\r\n\r\n");
  EXPECT_EQ(all.find("\nSet-Cookie"), std::string::npos);
  EXPECT_NE(all.find("Content-Length: 2\r\n"), std::string::npos);
}

TEST_F(PlainServer, ConnectionsPastTheLimitAreClosedAtOnce) {
  options.max_connections = 1;
  start();
  RawClient first = connect();
  ASSERT_TRUE(wait_for_connections(1));

  RawClient second = connect();

  EXPECT_TRUE(second.at_end());
  first.send(kGet);
  EXPECT_TRUE(first.read_until("GET /x ").starts_with("HTTP/1.1 200"));
}

/// Whose request it is says its header User.
struct KnowingServer : PlainServer {
  /// A client has its answer before the server waits for its next request.
  bool wait_until_waiting(size_t count) const {
    return eventually([&] { return server->waiting_connections() == count; });
  }
  void SetUp() override {
    PlainServer::SetUp();
    options.knows_users = true;
    service.answer = [](const Request& request, const Respond& respond) {
      Response response{.body = "hello"};
      response.user = request.headers.get("User");
      if (request.path == "/stream") response.stream = std::make_shared<Silent>();
      respond(std::move(response));
    };
  }
  struct Silent final : BodyStream {
    State read(std::string&) override { return State::Idle; }
    void set_waker(std::function<void()>) override {}
  };
  static std::string ask(RawClient& client, const std::string& user, const std::string& path = "/x",
                         const std::string& until = "hello") {
    client.send(fmt::format("GET {} HTTP/1.1\r\nHost: a\r\nUser: {}\r\n\r\n", path, user));
    return client.read_until(until);
  }
};

TEST_F(KnowingServer, StrangersHaveAQuarterAndTheOldestIdleOneGoes) {
  options.max_connections = 8;
  start();
  RawClient first = connect();
  ASSERT_NE(ask(first, ""), "");
  RawClient second = connect();
  ASSERT_NE(ask(second, ""), "");
  ASSERT_TRUE(wait_until_waiting(2));

  RawClient third = connect();
  EXPECT_TRUE(ask(third, "").starts_with("HTTP/1.1 200"));

  EXPECT_TRUE(first.at_end());
  EXPECT_TRUE(ask(second, "").starts_with("HTTP/1.1 200"));
}

TEST_F(KnowingServer, UsersAreNotInTheWayOfStrangersNorStrangersInTheirs) {
  options.max_connections = 8;
  start();
  RawClient users[] = {RawClient(server->port()), RawClient(server->port())};
  for (RawClient& each : users) ASSERT_NE(ask(each, "alice"), "");
  ASSERT_TRUE(wait_until_waiting(2));
  std::vector<std::unique_ptr<RawClient>> crowd;
  for (int i = 0; i < 20; ++i) crowd.push_back(std::make_unique<RawClient>(server->port()));

  RawClient late = connect();
  EXPECT_TRUE(ask(late, "bob").starts_with("HTTP/1.1 200"));
  for (RawClient& each : users) EXPECT_TRUE(ask(each, "alice").starts_with("HTTP/1.1 200"));
}

TEST_F(KnowingServer, AUserHasAShareOfItsOwn) {
  options.max_connections = 8;  // six for users, three of them for each
  start();
  std::vector<std::unique_ptr<RawClient>> many;
  for (size_t i = 0; i < 4; ++i) {
    many.push_back(std::make_unique<RawClient>(server->port()));
    ASSERT_NE(ask(*many.back(), "alice"), "");
    ASSERT_TRUE(wait_until_waiting(std::min<size_t>(i + 1, 3)));
  }

  EXPECT_TRUE(many[0]->at_end());
  EXPECT_TRUE(ask(*many[3], "alice").starts_with("HTTP/1.1 200"));
}

TEST_F(KnowingServer, AStreamPastTheShareIs429AndAnAnswerIsTheLast) {
  options.max_connections = 8;
  start();
  std::vector<std::unique_ptr<RawClient>> watches;
  for (int i = 0; i < 3; ++i) {
    watches.push_back(std::make_unique<RawClient>(server->port()));
    ASSERT_TRUE(ask(*watches.back(), "alice", "/stream", "\r\n\r\n").starts_with("HTTP/1.1 200"));
  }

  RawClient stream = connect();
  EXPECT_TRUE(ask(stream, "alice", "/stream", "under way").starts_with("HTTP/1.1 429"));
  RawClient plain = connect();
  const std::string answer = ask(plain, "alice");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200")) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos) << answer;
  RawClient other = connect();
  EXPECT_TRUE(ask(other, "bob", "/stream", "\r\n\r\n").starts_with("HTTP/1.1 200"));
}

TEST_F(KnowingServer, StrangersIdleForAShortWhileAndUsersForALong) {
  options.stranger_timeout = 1s;
  start();
  RawClient user = connect();
  ASSERT_NE(ask(user, "alice"), "");
  RawClient silent = connect(), stranger = connect();
  ASSERT_NE(ask(stranger, ""), "");

  EXPECT_TRUE(silent.at_end());
  EXPECT_TRUE(stranger.at_end());
  EXPECT_TRUE(ask(user, "alice").starts_with("HTTP/1.1 200"));
}

TEST_F(PlainServer, IdleAndHalfSentConnectionsAreDropped) {
  options.idle_timeout = options.read_timeout = 1s;
  start();
  RawClient idle = connect(), half = connect();
  half.send("GET /x HTTP/1.1\r\nHos");

  EXPECT_TRUE(idle.at_end());
  EXPECT_TRUE(half.at_end());
  EXPECT_TRUE(wait_for_connections(0));
}

TEST_F(PlainServer, LargeAnswerThatIsNotReadIsDropped) {
  options.write_timeout = 1s;
  service.answer = [](const Request&, const Respond& respond) {
    respond({.body = std::string(64 << 20, 'x')});
  };
  start();
  RawClient client = connect(4096);

  client.send(kGet);

  ASSERT_TRUE(wait_for_connections(1));
  EXPECT_TRUE(wait_for_connections(0));
}

/// Hands out what the test puts in; counts what was pulled.
struct Source {
  Mutex mutex;
  std::string ready HF_GUARDED_BY(mutex);
  bool end HF_GUARDED_BY(mutex) = false;
  std::function<void()> waker HF_GUARDED_BY(mutex);
  std::atomic<size_t> pulled{0};
  Signal idle, destroyed;

  void put(std::string_view text, bool last = false) {
    std::function<void()> wake;
    {
      const Lock lock(mutex);
      ready += text;
      end = last;
      wake = waker;
    }
    if (wake) wake();
  }
};

struct SourceStream final : BodyStream {
  explicit SourceStream(Source& from) : source(from) {}
  ~SourceStream() override { source.destroyed.set(); }
  State read(std::string& out) override {
    const Lock lock(source.mutex);
    source.pulled += source.ready.size();
    out += std::exchange(source.ready, {});
    if (source.end) return State::End;
    source.idle.set();
    return State::Idle;
  }
  void set_waker(std::function<void()> wake) override {
    const Lock lock(source.mutex);
    source.waker = std::move(wake);
  }
  Source& source;
};

struct StreamServer : PlainServer {
  Source source;
  void SetUp() override {
    PlainServer::SetUp();
    service.answer = [this](const Request&, const Respond& respond) {
      respond({.stream = std::make_shared<SourceStream>(source)});
    };
  }
};

TEST_F(StreamServer, HeadGoesOutAtOnceAndEachWakeSendsAChunk) {
  start();
  RawClient client = connect();

  client.send(kGet);
  EXPECT_NE(client.read_until("\r\n\r\n").find("Transfer-Encoding: chunked\r\n"),
            std::string::npos);
  source.put("one");
  EXPECT_EQ(client.read_until("one\r\n"), "00000003\r\none\r\n");
  source.put("two", true);
  EXPECT_EQ(client.read_until("0\r\n\r\n"), "00000003\r\ntwo\r\n0\r\n\r\n");

  EXPECT_TRUE(source.destroyed.wait());
  client.send(kGet);
  EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 200")) << "kept alive";
}

TEST_F(StreamServer, LeavingClientDestroysAnIdleStream) {
  start();
  {
    RawClient client = connect();
    client.send(kGet);
    client.read_until("\r\n\r\n");
    ASSERT_TRUE(source.idle.wait());
  }

  EXPECT_TRUE(source.destroyed.wait());
  EXPECT_TRUE(wait_for_connections(0));
  source.put("nobody hears this");
}

TEST_F(StreamServer, OldClientReadsUntilTheConnectionCloses) {
  start();
  RawClient client = connect();

  client.send("GET /x HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(source.idle.wait());
  source.put("all of it", true);

  const std::string all = client.read_all();
  EXPECT_EQ(all.find("chunked"), std::string::npos);
  EXPECT_TRUE(all.ends_with("\r\n\r\nall of it")) << all;
}

TEST_F(StreamServer, PipelinedRequestWaitsForTheStreamToEnd) {
  start();
  RawClient client = connect();

  client.send(kGet);
  client.read_until("\r\n\r\n");
  client.send(kGet);
  source.put("x", true);

  client.read_until("0\r\n\r\n");
  EXPECT_TRUE(client.read_until("\r\n\r\n").starts_with("HTTP/1.1 200"));
}

TEST_F(StreamServer, StopEndsStreamsOrderly) {
  start();
  RawClient client = connect();
  client.send(kGet);
  client.read_until("\r\n\r\n");
  ASSERT_TRUE(source.idle.wait());

  server->stop(10s);

  EXPECT_EQ(client.read_all(), "0\r\n\r\n");
  EXPECT_TRUE(source.destroyed.wait());
}

/// Always has another 64 KiB.
struct EndlessStream final : BodyStream {
  explicit EndlessStream(std::atomic<size_t>& counter) : pulled(counter) {}
  State read(std::string& out) override {
    out.append(64 * 1024, 'x');
    pulled += 64 * 1024;
    return State::Ready;
  }
  void set_waker(std::function<void()>) override {}
  std::atomic<size_t>& pulled;
};

TEST_F(PlainServer, SlowReaderOfAStreamIsNotReadAheadForAndIsDropped) {
  std::atomic<size_t> pulled{0};
  options.write_timeout = 1s;
  service.answer = [&](const Request&, const Respond& respond) {
    respond({.stream = std::make_shared<EndlessStream>(pulled)});
  };
  start();
  RawClient client = connect(4096);

  client.send(kGet);

  client.read_until("\r\n\r\n");
  EXPECT_TRUE(wait_for_connections(0));
  // One chunk, the kernel's unsent limit and both socket buffers; without a bound it would be
  // gigabytes in a second.
  EXPECT_LT(pulled.load(), size_t(4) << 20);
  EXPECT_GT(pulled.load(), 0u);
}

TEST_F(PlainServer, StopLetsARequestUnderWayFinish) {
  Signal arrived;
  Respond pending;
  service.answer = [&](const Request&, Respond respond) {
    pending = std::move(respond);
    arrived.set();
  };
  start();
  RawClient busy = connect(), idle = connect();
  ASSERT_TRUE(wait_for_connections(2));
  busy.send(kGet);
  ASSERT_TRUE(arrived.wait());

  std::thread stopping([&] { server->stop(10s); });
  EXPECT_TRUE(idle.at_end());
  pending({.body = "finished"});
  stopping.join();

  const std::string all = busy.read_all();
  EXPECT_TRUE(all.ends_with("finished"));
  EXPECT_NE(all.find("Connection: close\r\n"), std::string::npos);
  EXPECT_FALSE(connect().connected());
  server->stop(10s);
  EXPECT_EQ(server->connections(), 0u);
}

TEST_F(PlainServer, StopCutsOffWhatDoesNotFinishAndALateAnswerIsHarmless) {
  Signal arrived;
  Respond pending;
  service.answer = [&](const Request&, Respond respond) {
    pending = std::move(respond);
    arrived.set();
  };
  start();
  RawClient client = connect();
  client.send(kGet);
  ASSERT_TRUE(arrived.wait());

  server->stop(10ms);
  EXPECT_TRUE(client.at_end());
  server.reset();

  pending({.body = "too late"});
}

TEST_F(PlainServer, PortInUseIsNamed) {
  start();
  options.port = server->port();

  const auto second = Server::start(options, service);

  ASSERT_FALSE(second);
  EXPECT_NE(second.error().what().find(std::to_string(server->port())), std::string::npos);
}

}  // namespace
}  // namespace holdfast::net
