#include <holdfast/net/client.h>

#include "server/test_server.h"

#include <future>
#include <set>
#include <thread>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;

struct TlsRoundTrip : testing::Test {
  static TestPki& pki() {
    static TestPki made;
    return made;
  }
  LambdaService service;
  std::unique_ptr<Server> server;

  void SetUp() override {
    service.answer = [](const Request& request, const Respond& respond) {
      Response response{.body = request.method + " " + request.target + " " + request.body};
      response.headers.add("X-Peer", request.peer.address);
      response.headers.add("X-Name", request.peer.certificate           ? request.peer.common_name
                                     : request.peer.certificate_refused ? "refused"
                                                                        : "none");
      for (const auto& organization : request.peer.organizations)
        response.headers.add("X-Group", organization);
      response.headers.add("X-Authorization", request.headers.get("Authorization"));
      response.headers.add("X-Host", request.headers.get("Host"));
      respond(std::move(response));
    };
    auto started = Server::start(
        {.certificate = pki().server, .key = pki().server_key.private_pem, .client_ca = pki().ca},
        service);
    ASSERT_TRUE(started) << started.error().what();
    server = started.take();
  }
  std::string url() const { return "https://127.0.0.1:" + std::to_string(server->port()); }
  ClientOptions trusting() const { return {.base_url = url(), .ca = pki().ca}; }
  static std::unique_ptr<Client> client(ClientOptions options) {
    return Client::make(std::move(options)).take();
  }
};

TEST_F(TlsRoundTrip, ClientCertificateNamesThePeer) {
  ClientOptions options = trusting();
  options.certificate = pki().client;
  options.key = pki().client_key.private_pem;

  const auto response =
      client(options)->call({.method = "POST", .target = "/a?b=c", .body = "hello"});

  ASSERT_TRUE(response) << response.error().what();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "POST /a?b=c hello");
  EXPECT_EQ(response->headers.get("X-Name"), "admin");
  EXPECT_EQ(response->headers.all("X-Group"),
            (std::vector<std::string_view>{"system:masters", "ops"}));
}

TEST_F(TlsRoundTrip, ABorrowedBodyIsSentAsItIs) {
  const std::string bytes = "borrowed";

  const auto response =
      client(trusting())->call({.method = "PUT", .target = "/x", .borrowed = bytes});

  ASSERT_TRUE(response) << response.error().what();
  EXPECT_EQ(response->body, "PUT /x borrowed");
}

TEST_F(TlsRoundTrip, CertificateOfAnotherCaIsRefused) {
  TestPki other;
  ClientOptions options = trusting();
  options.certificate = other.client;
  options.key = other.client_key.private_pem;

  const auto response = client(options)->call({.target = "/"});

  ASSERT_TRUE(response) << response.error().what();
  EXPECT_EQ(response->headers.get("X-Name"), "refused");
}

TEST_F(TlsRoundTrip, ExpiredOrServerOnlyCertificateIsRefused) {
  for (const CertificateRequest& request :
       {CertificateRequest{
            .common_name = "old", .client = true, .lifetime = std::chrono::hours(-1)},
        CertificateRequest{.common_name = "not-a-client", .server = true}}) {
    ClientOptions options = trusting();
    options.certificate = pki().issue(request, pki().client_key);
    options.key = pki().client_key.private_pem;

    const auto response = client(options)->call({.target = "/"});

    ASSERT_TRUE(response) << response.error().what();
    EXPECT_EQ(response->headers.get("X-Name"), "refused") << request.common_name;
  }
}

TEST_F(TlsRoundTrip, ServerShowsAnotherCertificateToNewConnectionsOnly) {
  TestPki other;
  const auto before = client(trusting());
  ASSERT_TRUE(before->call({.target = "/"}));

  ASSERT_TRUE(server->use_certificate(other.server, other.server_key.private_pem));

  EXPECT_TRUE(before->call({.target = "/"})) << "an open connection keeps what it has";
  EXPECT_FALSE(client(trusting())->call({.target = "/"}));
  EXPECT_TRUE(client({.base_url = url(), .ca = other.ca})->call({.target = "/"}));
}

TEST_F(TlsRoundTrip, CertificateThatDoesNotFitItsKeyChangesNothing) {
  TestPki other;

  EXPECT_FALSE(server->use_certificate(other.server, pki().server_key.private_pem));

  EXPECT_TRUE(client(trusting())->call({.target = "/"}));
}

TEST_F(TlsRoundTrip, ConnectionIsReusedCallAfterCall) {
  const auto made = client(trusting());
  std::set<std::string> peers;

  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "GET"}) {
    const auto response =
        made->call({.method = method, .target = "/x", .body = *method == 'P' ? "b" : ""});
    ASSERT_TRUE(response) << response.error().what();
    EXPECT_EQ(response->body.empty(), std::string_view(method) == "HEAD");
    peers.emplace(response->headers.get("X-Peer"));
  }

  EXPECT_EQ(peers.size(), 1u);
}

TEST_F(TlsRoundTrip, BodyOverTheBoundIsRefusedAndTheClientGoesOn) {
  const auto made = client(trusting());
  const std::string body(100'000, 'x');

  const auto refused = made->call({.method = "POST", .body = body, .max_response = 50'000});
  const auto taken = made->call({.method = "POST", .body = body, .max_response = 200'000});

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().fault(), Fault::Corrupt);
  ASSERT_TRUE(taken) << taken.error().what();
  EXPECT_GT(taken->body.size(), body.size());
}

TEST_F(TlsRoundTrip, ManyThreadsShareOneClient) {
  const auto made = client(trusting());
  std::atomic<int> good{0};
  std::vector<std::thread> threads;

  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int k = 0; k < 20; ++k) {
        const std::string target = "/" + std::to_string(i) + "/" + std::to_string(k);
        const auto response = made->call({.target = target});
        if (response && response->body == "GET " + target + " ") ++good;
      }
    });
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(good.load(), 160);
}

TEST_F(TlsRoundTrip, UnknownServerCaIsDenied) {
  TestPki other;

  EXPECT_EQ(client({.base_url = url(), .ca = other.ca})->call({}).error().fault(), Fault::Denied);
  EXPECT_TRUE(client({.base_url = url(), .insecure = true})->call({.target = "/"}));
}

TEST_F(TlsRoundTrip, ServerNameIsCheckedInsteadOfTheHost) {
  ClientOptions wrong = trusting(), right = trusting();
  wrong.server_name = "kubernetes";
  right.base_url = "https://localhost:" + std::to_string(server->port());
  right.server_name = "127.0.0.1";

  EXPECT_EQ(client(wrong)->call({.target = "/"}).error().fault(), Fault::Denied);
  const auto response = client(right)->call({.target = "/"});
  ASSERT_TRUE(response) << response.error().what();
  EXPECT_EQ(response->headers.get("X-Host"), "localhost:" + std::to_string(server->port()));
}

TEST_F(TlsRoundTrip, TokenIsSentUnlessTheCallHasItsOwn) {
  ClientOptions options = trusting();
  options.bearer_token = "abc";
  Call own{.target = "/"};
  own.headers.add("Authorization", "Basic x");

  EXPECT_EQ(client(options)->call({.target = "/"})->headers.get("X-Authorization"), "Bearer abc");
  EXPECT_EQ(client(options)->call(own)->headers.get("X-Authorization"), "Basic x");
  own.headers.add("X-Evil", "a\r\nb: c");
  EXPECT_EQ(client(options)->call(own).error().fault(), Fault::Invalid);
}

TEST_F(TlsRoundTrip, LargeBodiesGoBothWaysAndAreCompressedOnlyWhenAskedFor) {
  std::string large;
  for (int i = 0; i < 300000; ++i) large += std::to_string(i);
  std::string encoding;
  service.answer = [&](Request request, const Respond& respond) {
    respond({.body = std::move(request.body)});
  };
  const auto made = client(trusting());
  Call plain{.method = "POST", .target = "/", .body = large}, gzip = plain;
  gzip.headers.add("Accept-Encoding", "gzip");

  const auto as_is = made->call(plain), packed = made->call(gzip);

  ASSERT_TRUE(as_is && packed);
  EXPECT_EQ(as_is->body, large);
  EXPECT_EQ(packed->body, large);
  EXPECT_EQ(as_is->headers.get("Vary"), "");
  EXPECT_EQ(packed->headers.get("Vary"), "Accept-Encoding") << "was sent as gzip";
  EXPECT_LT(std::stoul(std::string(packed->headers.get("Content-Length"))), large.size() / 2);
}

/// Says `text` once and then nothing, until it is destroyed.
struct OnceStream final : BodyStream {
  OnceStream(std::string say, Signal& over) : text(std::move(say)), destroyed(over) {}
  ~OnceStream() override { destroyed.set(); }
  State read(std::string& out) override {
    out += std::exchange(text, {});
    return State::Idle;
  }
  void set_waker(std::function<void()>) override {}
  std::string text;
  Signal& destroyed;
};

struct TlsStream : TlsRoundTrip {
  Signal destroyed;
  void SetUp() override {
    TlsRoundTrip::SetUp();
    service.answer = [this](const Request&, const Respond& respond) {
      respond({.stream = std::make_shared<OnceStream>("event", destroyed)});
    };
  }
};

TEST_F(TlsStream, EndsWhenTheReaderHasHadEnough) {
  std::string seen;

  const auto response = client(trusting())->stream({.target = "/"}, [&](std::string_view data) {
    seen += data;
    return false;
  });

  ASSERT_TRUE(response) << response.error().what();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(seen, "event");
  EXPECT_TRUE(destroyed.wait()) << "the server noticed";
}

TEST_F(TlsStream, StopEndsAnIdleStreamAtOnce) {
  std::stop_source stop;
  Signal started;
  std::optional<Fault> fault;
  const auto made = client(trusting());
  std::thread reading([&] {
    const auto response =
        made->stream({.target = "/", .stop = stop.get_token()}, [&](std::string_view) {
          started.set();
          return true;
        });
    if (!response) fault = response.error().fault();
  });

  ASSERT_TRUE(started.wait());
  stop.request_stop();
  reading.join();

  EXPECT_EQ(fault, Fault::Unavailable);
  EXPECT_TRUE(destroyed.wait());
}

TEST_F(TlsStream, ServerStopEndsItOrderly) {
  std::string seen;
  Signal started;
  const auto made = client(trusting());
  std::thread stopping([&] {
    EXPECT_TRUE(started.wait());
    server->stop(10s);
  });

  const auto response = made->stream({.target = "/"}, [&](std::string_view data) {
    seen += data;
    started.set();
    return true;
  });
  stopping.join();

  EXPECT_TRUE(response);
  EXPECT_EQ(seen, "event");
}

/// Says one piece per wake and is idle between them.
struct PiecewiseStream final : BodyStream {
  explicit PiecewiseStream(std::function<void(std::function<void()>)> hand_over)
      : give(std::move(hand_over)) {}
  State read(std::string& out) override {
    out.append(8192, 'x');
    return State::Idle;
  }
  void set_waker(std::function<void()> waker) override { give(std::move(waker)); }
  std::function<void(std::function<void()>)> give;
};

TEST_F(TlsStream, ReaderThatStopsIsDroppedAlsoIfTheStreamWasIdleBefore) {
  Mutex mutex;
  std::function<void()> wake;
  service.answer = [&](const Request&, const Respond& respond) {
    respond({.stream = std::make_shared<PiecewiseStream>([&](std::function<void()> waker) {
               const Lock lock(mutex);
               wake = std::move(waker);
             })});
  };
  server = Server::start({.write_timeout = 1s,
                          .certificate = pki().server,
                          .key = pki().server_key.private_pem,
                          .client_ca = pki().ca},
                         service)
               .take();
  Signal reading, dropped;
  const auto made = client(trusting());
  std::thread reader([&] {
    // It takes the first piece and then looks at no other until it is over.
    EXPECT_FALSE(made->stream({.target = "/"}, [&](std::string_view) {
      reading.set();
      EXPECT_TRUE(dropped.wait());
      return true;
    }));
  });
  ASSERT_TRUE(reading.wait());

  EXPECT_TRUE(eventually([&] {
    const Lock lock(mutex);
    for (int i = 0; i < 1000; ++i) wake();
    return server->connections() == 0;
  }));
  dropped.set();
  reader.join();
}

TEST_F(TlsStream, ErrorAnswerComesWithItsBody) {
  service.answer = [](const Request&, const Respond& respond) {
    respond({.status = 410, .body = "gone"});
  };

  const auto response = client(trusting())->stream({.target = "/"}, [](std::string_view) {
    ADD_FAILURE() << "an error is no event";
    return true;
  });

  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 410);
  EXPECT_EQ(response->body, "gone");
}

TEST_F(TlsRoundTrip, SilenceIsUnavailableAfterTheTimeout) {
  std::vector<Respond> never;
  service.answer = [&](const Request&, Respond respond) { never.push_back(std::move(respond)); };
  const auto made = client(trusting());

  EXPECT_EQ(made->call({.target = "/", .timeout = 50ms}).error().fault(), Fault::Unavailable);
  const auto no_head =
      made->stream({.target = "/", .timeout = 50ms}, [](std::string_view) { return true; });
  EXPECT_EQ(no_head.error().fault(), Fault::Unavailable);
  server->stop(0ms);
}

TEST_F(TlsRoundTrip, APaceIsAskedForEveryByteAndMayMakeItWait) {
  const std::string bytes(300'000, 'x');
  size_t up = 0, down = 0;
  int asked = 0;

  const auto response = client(trusting())
                            ->call({.method = "PUT",
                                    .target = "/x",
                                    .borrowed = bytes,
                                    .pace = [&](size_t count, bool sent) {
                                      if (++asked % 2 == 1) return 1ms;
                                      (sent ? up : down) += count;
                                      return 0ms;
                                    }});

  ASSERT_TRUE(response) << response.error().what();
  EXPECT_EQ(response->body, "PUT /x " + bytes);
  EXPECT_EQ(up, bytes.size());
  EXPECT_EQ(down, response->body.size());
}

TEST_F(TlsRoundTrip, AStallIsUnavailableLongBeforeTheTimeout) {
  std::promise<Respond> kept;
  service.answer = [&kept](const Request&, Respond respond) { kept.set_value(std::move(respond)); };

  const auto response =
      client(trusting())->call({.target = "/", .timeout = std::chrono::hours(10), .stall = 1s});

  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().fault(), Fault::Unavailable);
  kept.get_future().get()({});
}

TEST_F(TlsRoundTrip, NobodyListeningIsUnavailable) {
  const auto made = client(trusting());
  server->stop(0ms);

  const auto response = made->call({.target = "/x"});

  EXPECT_EQ(response.error().fault(), Fault::Unavailable);
  EXPECT_NE(response.error().what().find("GET " + url() + "/x"), std::string::npos);
}

TEST_F(TlsRoundTrip, PlainHttpOnTheTlsPortIsTold) {
  RawClient plain(server->port());

  plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");

  EXPECT_EQ(plain.read_all(),
            "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n");
}

TEST_F(TlsRoundTrip, EnvironmentProxyIsIgnored) {
  setenv("https_proxy", "http://127.0.0.1:1", 1);

  const auto response = client(trusting())->call({.target = "/"});

  unsetenv("https_proxy");
  EXPECT_TRUE(response);
}

TEST(Client, RefusesAnAddressThatIsNotHttp) {
  EXPECT_EQ(Client::make({.base_url = "ftp://x"}).error().fault(), Fault::Invalid);
}

}  // namespace
}  // namespace holdfast::net
