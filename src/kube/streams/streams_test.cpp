/// Sessions and logs on an API server that the test plays, within the process.
#include <holdfast/kube/streams.h>
#include <holdfast/net/in_process.h>

#include "eventually.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace holdfast::kube {
namespace {

using namespace std::chrono_literals;
using Socket = std::shared_ptr<net::WebSocket>;
using Kind = ExecSession::Event::Kind;

struct Played final : net::Service {
  std::function<void(net::Request, net::Respond)> answer;
  void serve(net::Request request, net::Respond respond) override {
    answer(std::move(request), std::move(respond));
  }
};

const std::string kSuccess = "\3{\"metadata\":{},\"status\":\"Success\"}";

class Streams : public testing::Test {
 protected:
  /// What the command does.
  void command(const net::Talk& talk, std::string_view protocol = "v5.channel.k8s.io") {
    service_.answer = [this, talk, protocol](const net::Request& request,
                                             const net::Respond& respond) {
      asked_ = request;
      respond(net::go_on_as_websocket(net::agreed_protocol(request, {protocol}), talk));
    };
  }
  std::unique_ptr<ExecSession> start(const ExecOptions& options = {}) {
    auto session = exec(client_, "shop", "web", {"sh", "-c", "a b"}, options);
    EXPECT_TRUE(session) << session.error().error.what();
    return session ? session.take() : nullptr;
  }
  /// All until the end: "out:… err:…".
  static std::string told(ExecSession& session) {
    std::string out;
    for (auto event = session.next(); event->kind != Kind::End; event = session.next())
      out += (event->kind == Kind::Output ? "out:" : "err:") + event->data + " ";
    return out;
  }

  Played service_;
  std::unique_ptr<net::Client> transport_ = net::make_in_process(service_, {});
  SystemClock clock_;
  SystemRandom random_;
  Client client_{*transport_, clock_, random_, sleep_until_stopped(),
                 ClientSettings{.as_user = "alice", .as_groups = {"ops"}}};
  net::Request asked_;
};

TEST_F(Streams, WhatIsAskedAndOnWhoseBehalf) {
  command([](const Socket& socket) { EXPECT_TRUE(socket->send(kSuccess)); });
  auto session = start({.container = "db", .input = true});
  EXPECT_EQ(told(*session), "");
  EXPECT_EQ(asked_.target,
            "/api/v1/namespaces/shop/pods/web/exec?stdout=true&stderr=true&stdin=true&"
            "container=db&command=sh&command=-c&command=a%20b");
  EXPECT_EQ(asked_.headers.get("Impersonate-User"), "alice");
  EXPECT_EQ(asked_.headers.get("Impersonate-Group"), "ops");
  EXPECT_EQ(asked_.headers.get("Sec-WebSocket-Protocol"), "v5.channel.k8s.io, v4.channel.k8s.io");
  EXPECT_TRUE(session->end().code);
}

TEST_F(Streams, ATerminalHasNoErrorsOfItsOwn) {
  command([](const Socket& socket) {
    auto size = socket->receive();
    EXPECT_EQ((**size).data, "\4{\"Width\":80,\"Height\":24}");
    EXPECT_TRUE(socket->send(kSuccess));
  });
  auto session = start({.tty = true});
  EXPECT_TRUE(session->resize(80, 24));
  EXPECT_EQ(told(*session), "");
  EXPECT_NE(asked_.target.find("tty=true"), std::string::npos);
  EXPECT_EQ(asked_.target.find("stderr"), std::string::npos);
}

TEST_F(Streams, OutputErrorsAndTheEnd) {
  command([](const Socket& socket) {
    for (const char* text : {"\1", "\1one", "\2two", "\1three"}) EXPECT_TRUE(socket->send(text));
    EXPECT_TRUE(socket->send(std::string("\xff\1", 2)));
    EXPECT_TRUE(socket->send(kSuccess));
  });
  auto session = start();
  EXPECT_EQ(told(*session), "out:one err:two out:three ");
  EXPECT_EQ(session->end().code, 0);
  EXPECT_EQ(session->next()->kind, Kind::End) << "again and again";
}

TEST_F(Streams, ExitCodesAndOtherEnds) {
  std::string status;
  command([&](const Socket& socket) {
    if (!status.empty()) (void)socket->send("\3" + status);
  });
  const auto ended = [&](std::string with) {
    status = std::move(with);
    auto session = start();
    told(*session);
    return session->end().code;
  };
  EXPECT_EQ(ended(R"({"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[
                     {"reason":"ExitCode","message":"42"}]}})"),
            42);
  EXPECT_EQ(ended(R"({"status":"Failure","reason":"NonZeroExitCode"})"), std::nullopt);
  EXPECT_EQ(ended(R"({"status":"Failure","reason":"InternalError","message":"no"})"), std::nullopt);
  EXPECT_EQ(ended("nonsense"), std::nullopt);
  EXPECT_EQ(ended(""), std::nullopt) << "closed without a word";
}

TEST_F(Streams, InputIsWrittenInPiecesAndEnded) {
  std::string seen;
  command([&](const Socket& socket) {
    for (;;) {
      auto message = socket->receive();
      if (!message || !*message) return;
      if ((**message).data == std::string("\xff\0", 2)) break;
      EXPECT_LE((**message).data.size(), 32769U);
      seen += (**message).data.substr(1);
    }
    EXPECT_TRUE(socket->send("\1done"));
    EXPECT_TRUE(socket->send(kSuccess));
  });
  auto session = start({.input = true});
  const std::string text(1'000'000, 'x');
  EXPECT_TRUE(session->write(text));
  EXPECT_TRUE(session->can_end_input());
  EXPECT_TRUE(session->end_input());
  EXPECT_EQ(told(*session), "out:done ");
  EXPECT_EQ(seen, text);
}

TEST_F(Streams, AServerOfV4CannotEndTheInputAlone) {
  command([](const Socket& socket) { (void)socket->receive(); }, "v4.channel.k8s.io");
  auto session = start({.input = true});
  EXPECT_FALSE(session->can_end_input());
  auto ended = session->end_input();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().fault(), Fault::Invalid);
  EXPECT_TRUE(session->write("x"));
}

TEST_F(Streams, ACommandWithoutInputCannotBeWrittenTo) {
  command([](const Socket& socket) { (void)socket->receive(); });
  EXPECT_FALSE(start()->write("x"));
}

TEST_F(Streams, ASessionThatGoesIsSeenByTheServer) {
  std::promise<bool> closed;
  command([&](const Socket& socket) {
    auto message = socket->receive();
    closed.set_value(message && !*message);
  });
  start({.input = true}).reset();
  EXPECT_TRUE(closed.get_future().get());
}

TEST_F(Streams, TheLimitEndsAndLeavesTheEndUnknown) {
  command([](const Socket& socket) {
    while (true) {
      auto message = socket->receive();
      if (!message || !*message) return;
    }
  });
  auto session = start({.limit = 30ms});
  EXPECT_EQ(told(*session), "");
  EXPECT_EQ(session->end().code, std::nullopt);
  EXPECT_EQ(session->end().message, "not done within 30 ms");
}

TEST_F(Streams, WhatNobodyAsksForIsBoundedAndCloseEndsIt) {
  std::atomic<size_t> sent{0};
  std::promise<void> over;
  command([&](const Socket& socket) {
    while (socket->send("\1" + std::string(100'000, 'x'))) sent += 100'000;
    over.set_value();
  });
  auto session = start();
  ASSERT_TRUE(session->next());
  // It stops taking, sooner or later: then the number does not change any more.
  size_t before = 0;
  EXPECT_TRUE(eventually([&] { return sent > 0 && std::exchange(before, sent) == sent; }));
  EXPECT_LT(sent, 3'000'000U);
  session->close();
  over.get_future().get();
  session.reset();
}

TEST_F(Streams, NothingUntilThen) {
  std::promise<void> go;
  command([&](const Socket& socket) {
    go.get_future().wait();
    EXPECT_TRUE(socket->send(kSuccess));
  });
  auto session = start();
  EXPECT_FALSE(session->next(clock_.mono() + 10ms));
  go.set_value();
  EXPECT_EQ(session->next()->kind, Kind::End);
}

TEST_F(Streams, ARefusalIsAFailureWithItsStatus) {
  service_.answer = [](const net::Request&, const net::Respond& respond) {
    respond({.status = 403,
             .body = R"({"kind":"Status","reason":"Forbidden","message":"not you","code":403})"});
  };
  auto session = exec(client_, "shop", "web", {"true"}, {});
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, 403);
  EXPECT_FALSE(session.error().ambiguous);
  EXPECT_NE(session.error().error.what().find("not you"), std::string::npos);
}

TEST_F(Streams, NoAnswerMayHaveStartedTheCommand) {
  std::vector<net::Respond> held;
  service_.answer = [&](const net::Request&, net::Respond respond) {
    held.push_back(std::move(respond));
  };
  Client impatient = client_.with(*transport_, ClientSettings{.timeout = 20ms});
  auto session = exec(impatient, "shop", "web", {"true"}, {});
  ASSERT_FALSE(session);
  EXPECT_TRUE(session.error().ambiguous);
}

TEST_F(Streams, AnEmptyCommandIsNotSent) {
  EXPECT_FALSE(exec(client_, "shop", "web", {}, {}));
  EXPECT_FALSE(exec(client_, "", "web", {"true"}, {}));
}

TEST_F(Streams, LogsAreHandedOverWithAllOptions) {
  service_.answer = [this](const net::Request& request, const net::Respond& respond) {
    asked_ = request;
    respond({.body = "one\ntwo\n"});
  };
  LogOptions options{.container = "db", .follow = true, .previous = true, .timestamps = true};
  options.since_seconds = 5;
  options.tail_lines = 7;
  options.limit_bytes = 9;
  std::string seen;
  auto done = logs(client_, "shop", "web", options, [&](std::string_view bytes) {
    seen += bytes;
    return true;
  });
  EXPECT_TRUE(done);
  EXPECT_EQ(seen, "one\ntwo\n");
  EXPECT_EQ(asked_.target,
            "/api/v1/namespaces/shop/pods/web/log?container=db&follow=true&previous=true&"
            "timestamps=true&sinceSeconds=5&tailLines=7&limitBytes=9");
}

TEST_F(Streams, AFollowedLogEndsWithTheStop) {
  class Silent final : public net::BodyStream {
   public:
    State read(std::string&) override { return State::Idle; }
    void set_waker(std::function<void()>) override {}
  };
  std::stop_source stop;
  service_.answer = [&](const net::Request&, const net::Respond& respond) {
    net::Response response;
    response.stream = std::make_shared<Silent>();
    respond(std::move(response));
    stop.request_stop();
  };
  auto done = logs(
      client_, "shop", "web", {.follow = true}, [](auto) { return true; }, stop.get_token());
  EXPECT_FALSE(done);
}

TEST_F(Streams, ALogThatIsRefusedIsAFailure) {
  service_.answer = [](const net::Request&, const net::Respond& respond) {
    respond({.status = 404,
             .body = R"({"kind":"Status","reason":"NotFound","message":"gone","code":404})"});
  };
  auto done = logs(client_, "shop", "web", {}, [](auto) { return true; });
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().not_found());
}

}  // namespace
}  // namespace holdfast::kube
