/// A server that carries requests to a node, between a client and a node that the test plays.
#include "nodes/node_relay.h"

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/model/json.h>
#include <holdfast/model/object.h>
#include <holdfast/net/pki.h>
#include <holdfast/net/server.h>

#include <gtest/gtest.h>

#include <future>

namespace holdfast::apiserver {
namespace {

using namespace std::chrono_literals;
using Socket = std::shared_ptr<net::WebSocket>;

struct Lambda final : net::Service {
  std::function<void(net::Request, net::Respond)> answer;
  void serve(net::Request request, net::Respond respond) override {
    answer(std::move(request), std::move(respond));
  }
};

/// Says what it has been given and then waits, as the log of a running container does.
class Endless final : public net::BodyStream {
 public:
  Endless(std::string text, std::promise<void>& gone) : text_(std::move(text)), gone_(gone) {}
  Endless(const Endless&) = delete;
  Endless& operator=(const Endless&) = delete;
  ~Endless() override { gone_.set_value(); }
  State read(std::string& out) override {
    out += std::exchange(text_, {});
    return State::Idle;
  }
  void set_waker(std::function<void()>) override {}

 private:
  std::string text_;
  std::promise<void>& gone_;
};

class NodeRelays : public testing::Test {
 public:
  NodeRelays() {
    const SystemClock clock;
    SystemRandom random;
    const net::KeyPair key = net::make_key().take();
    certificate_ = net::make_certificate({.common_name = "node", .server = true}, key.private_pem,
                                         "", "", clock, random)
                       .take();
    net::ServerOptions options;
    options.certificate = certificate_;
    options.key = key.private_pem;
    options.client_ca = certificate_;
    node_ = net::Server::start(options, node_service_).take();
    front_service_.answer = [this](const net::Request& request, net::Respond respond) {
      NodeRequest to{.pod = "p", .target = request.target, .certificate = certificate_};
      to.url = "https://127.0.0.1:" + std::to_string(node_->port());
      if (request.path.starts_with("/exec")) {
        to.kind = NodeRequest::Kind::Exec;
        to.protocol = net::agreed_protocol(request, {"v5.channel.k8s.io", "v4.channel.k8s.io"});
      }
      if (request.path.ends_with("/wrong")) to.certificate = other_certificate_;
      relay_.carry(std::move(to), std::move(respond));
    };
    other_certificate_ =
        net::make_certificate({.common_name = "other", .server = true},
                              net::make_key().take().private_pem, "", "", clock, random)
            .take();
    front_ = net::Server::start({}, front_service_).take();
    client_ = net::Client::make({.base_url = "http://127.0.0.1:" + std::to_string(front_->port())})
                  .take();
  }
  ~NodeRelays() override {
    front_->stop(1s);
    relay_.stop();
    node_->stop(0s);
  }
  NodeRelays(const NodeRelays&) = delete;
  NodeRelays& operator=(const NodeRelays&) = delete;

 protected:
  void node_answers(std::function<void(net::Request, net::Respond)> answer) {
    node_service_.answer = std::move(answer);
  }
  void node_talks(const net::Talk& talk) {
    node_answers([talk](const net::Request& request, const net::Respond& respond) {
      respond(net::go_on_as_websocket(
          net::agreed_protocol(request, {"v5.channel.k8s.io", "v4.channel.k8s.io"}), talk));
    });
  }
  net::Response log(const std::string& target = "/containerLogs/n/p/c") {
    auto response = client_->call({.target = target});
    EXPECT_TRUE(response);
    return response ? std::move(*response) : net::Response{};
  }
  Socket exec(std::vector<std::string> protocols = {"v5.channel.k8s.io"},
              const std::string& target = "/exec/n/p/c?command=true") {
    auto connected = client_->connect({.target = target}, protocols);
    EXPECT_TRUE(connected);
    return connected ? connected->socket : nullptr;
  }
  static std::string next(const Socket& socket) {
    auto message = socket->receive();
    if (!message) return "lost";
    return *message ? (*message)->data : "closed";
  }
  static std::string status_message(const std::string& message) {
    EXPECT_EQ(message.front(), '\3') << message;
    const model::Value status = model::parse_json(message.substr(1)).take().value;
    EXPECT_EQ(model::string_at(status, {"status"}), "Failure");
    return std::string(model::string_at(status, {"message"}));
  }
  /// After a status that says how it failed: after any other end kubectl does not look at that.
  static void expect_orderly_end(const Socket& socket) {
    EXPECT_EQ(next(socket), "closed");
    ASSERT_TRUE(socket->closing());
    EXPECT_EQ(socket->closing()->code, net::WebSocket::kNormal);
  }

  NodeRelay relay_{"", ""};
  std::unique_ptr<net::Server> node_;

 private:
  std::string certificate_, other_certificate_;
  Lambda node_service_, front_service_;
  std::unique_ptr<net::Server> front_;

 protected:
  std::unique_ptr<net::Client> client_;
};

TEST_F(NodeRelays, ALogComesThroughWhole) {
  const std::string text(3'000'000, 'x');
  node_answers([&](const net::Request& request, const net::Respond& respond) {
    EXPECT_EQ(request.target, "/containerLogs/n/p/c");
    respond({.body = text});
  });
  const net::Response response = log();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.headers.get("Content-Type"), "text/plain");
  EXPECT_EQ(response.body.size(), text.size());
}

TEST_F(NodeRelays, AFollowedLogBeginsAtOnceAndEndsWithItsReader) {
  std::promise<void> gone;
  node_answers([&](const net::Request&, const net::Respond& respond) {
    net::Response response;
    response.stream = std::make_shared<Endless>("line\n", gone);
    respond(std::move(response));
  });
  std::string seen;
  auto ended = client_->stream({.target = "/containerLogs/n/p/c"}, [&](std::string_view bytes) {
    seen += bytes;
    return false;
  });
  EXPECT_TRUE(ended);
  EXPECT_EQ(seen, "line\n");
  client_.reset();
  EXPECT_EQ(gone.get_future().wait_for(60s), std::future_status::ready);
}

TEST_F(NodeRelays, ARefusalOfALogIsWordedAsTheRealServerDoes) {
  int code = 400;
  node_answers([&](const net::Request&, const net::Respond& respond) {
    respond({.status = code, .body = "container \"c\" in pod \"p\" is waiting to start: x"});
  });
  const auto message = [&](int with) {
    code = with;
    const net::Response response = log();
    EXPECT_EQ(response.status, with);
    return std::string(
        model::string_at(model::parse_json(response.body).take().value, {"message"}));
  };
  EXPECT_EQ(message(400), "container \"c\" in pod \"p\" is waiting to start: x");
  EXPECT_EQ(message(500),
            "Internal error occurred: container \"c\" in pod \"p\" is waiting to start: x");
  EXPECT_EQ(message(404), "the server could not find the requested resource ( pods/log p)");
  EXPECT_EQ(message(502),
            "an error on the server (\"container \\\"c\\\" in pod \\\"p\\\" is waiting to start: "
            "x\") has prevented the request from succeeding ( pods/log p)");
}

TEST_F(NodeRelays, AnotherKeyThanTheNodesIsNotTrusted) {
  node_answers([](const net::Request&, const net::Respond& respond) { respond({.body = "no"}); });
  EXPECT_EQ(log("/containerLogs/n/p/wrong").status, 500);
  const Socket socket = exec({"v5.channel.k8s.io"}, "/exec/n/p/wrong");
  ASSERT_TRUE(socket);
  EXPECT_NE(status_message(next(socket)).find("error dialing backend"), std::string::npos);
}

TEST_F(NodeRelays, MessagesGoBothWaysInTheSubprotocolAskedFor) {
  node_talks([](const Socket& socket) {
    EXPECT_EQ(socket->protocol(), "v4.channel.k8s.io");
    for (;;) {
      auto message = socket->receive();
      if (!message || !*message) return;
      (*message)->data[0] = '\1';
      if (!socket->send((*message)->data)) return;
    }
  });
  const Socket socket = exec({"v4.channel.k8s.io"});
  ASSERT_TRUE(socket);
  EXPECT_EQ(socket->protocol(), "v4.channel.k8s.io");
  for (const size_t size : {1U, 1000U, 100000U, 1000000U}) {
    const std::string text(size, 'x');
    ASSERT_TRUE(socket->send(std::string(1, '\0') + text));
    EXPECT_EQ(next(socket), "\1" + text);
  }
}

TEST_F(NodeRelays, TheEndOfTheCommandReachesTheClient) {
  node_talks([](const Socket& socket) {
    EXPECT_TRUE(socket->send("\1out"));
    EXPECT_TRUE(socket->send("\3{\"status\":\"Success\"}"));
  });
  const Socket socket = exec();
  ASSERT_TRUE(socket);
  EXPECT_EQ(next(socket), "\1out");
  EXPECT_EQ(next(socket), "\3{\"status\":\"Success\"}");
  EXPECT_EQ(next(socket), "closed");
  ASSERT_TRUE(socket->closing());
  EXPECT_EQ(socket->closing()->code, net::WebSocket::kNormal);
}

TEST_F(NodeRelays, AClientThatStillSendsSeesTheCommandEndAsItDid) {
  node_talks([](const Socket& socket) { EXPECT_TRUE(socket->send("\3{}")); });
  for (int round = 0; round < 50; ++round) {
    const Socket socket = exec();
    ASSERT_TRUE(socket);
    std::thread sender([&] {
      const std::string input(20000, '\0');
      while (socket->send(input)) {
      }
    });
    EXPECT_EQ(next(socket), "\3{}");
    EXPECT_EQ(next(socket), "closed");
    sender.join();
    ASSERT_TRUE(socket->closing());
    EXPECT_EQ(socket->closing()->code, net::WebSocket::kNormal) << round;
  }
}

TEST_F(NodeRelays, AClientThatGoesEndsTheNodesSide) {
  std::promise<bool> ended;
  node_talks([&](const Socket& socket) {
    auto message = socket->receive();
    ended.set_value(!message || !*message);
  });
  exec().reset();
  auto result = ended.get_future();
  ASSERT_EQ(result.wait_for(60s), std::future_status::ready);
  EXPECT_TRUE(result.get());
}

TEST_F(NodeRelays, ANodeThatIsLostIsReportedAndTheClientsSideEnds) {
  std::promise<void> begun;
  node_talks([&](const Socket& socket) {
    begun.set_value();
    while (socket->send("\1x" + std::string(10000, 'x'))) {
    }
  });
  const Socket socket = exec();
  ASSERT_TRUE(socket);
  begun.get_future().wait();
  std::thread stopper([&] { node_->stop(0s); });
  std::string last;
  for (std::string message = next(socket); message != "closed"; message = next(socket)) {
    ASSERT_NE(message, "lost");
    last = message;
  }
  stopper.join();
  // Whether the node still managed to close in order is a race.
  EXPECT_NE(status_message(last).find("did not say how the command ended"), std::string::npos)
      << last;
  expect_orderly_end(socket);
}

// kubernetes/kubernetes#137404: half an output, and kubectl exits with 0.
TEST_F(NodeRelays, ANodeThatEndsInOrderWithoutSayingHowTheCommandEndedIsAFailure) {
  node_talks([](const Socket& socket) {
    EXPECT_TRUE(socket->send("\1half"));
    socket->close(net::WebSocket::kNormal, "");
  });
  for (const char* protocol : {"v5.channel.k8s.io", "v4.channel.k8s.io"}) {
    const Socket socket = exec({protocol});
    ASSERT_TRUE(socket);
    EXPECT_EQ(next(socket), "\1half");
    EXPECT_NE(status_message(next(socket)).find("did not say how the command ended"),
              std::string::npos);
    expect_orderly_end(socket);
  }
}

TEST_F(NodeRelays, ANodesRefusalComesOnTheErrorChannel) {
  std::string body = "container not found (\"c\")";
  node_answers([&](const net::Request&, const net::Respond& respond) {
    respond({.status = 404, .body = body + "\n"});
  });
  Socket socket = exec();
  ASSERT_TRUE(socket) << "else kubectl would fall back to SPDY";
  EXPECT_EQ(status_message(next(socket)),
            "Internal error occurred: unable to upgrade connection: container not found (\"c\")");
  EXPECT_EQ(next(socket), "closed");
  body = R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"no","code":404})";
  socket = exec();
  ASSERT_TRUE(socket);
  EXPECT_EQ(status_message(next(socket)), "no");
}

TEST_F(NodeRelays, ANodeThatIsNotThereIsSaid) {
  node_->stop(0s);
  EXPECT_EQ(log().status, 500);
  const Socket socket = exec();
  ASSERT_TRUE(socket);
  EXPECT_NE(status_message(next(socket)).find("error dialing backend: "), std::string::npos);
}

}  // namespace
}  // namespace holdfast::apiserver
