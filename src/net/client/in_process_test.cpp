#include <holdfast/net/in_process.h>

#include "server/test_server.h"

#include <atomic>
#include <thread>

namespace holdfast::net {
namespace {

using namespace std::chrono_literals;

/// A body that another thread pushes into.
class PushedBody final : public BodyStream {
 public:
  void push(std::string_view bytes, bool last = false) {
    std::function<void()> waker;
    {
      const Lock lock(mutex_);
      bytes_ += bytes;
      ended_ = ended_ || last;
      waker = waker_;
    }
    if (waker) waker();
  }
  State read(std::string& out) override {
    const Lock lock(mutex_);
    const bool some = !bytes_.empty();
    out += std::exchange(bytes_, {});
    return some ? State::Ready : ended_ ? State::End : State::Idle;
  }
  void set_waker(std::function<void()> waker) override {
    const Lock lock(mutex_);
    waker_ = std::move(waker);
  }

 private:
  Mutex mutex_;
  std::string bytes_ HF_GUARDED_BY(mutex_);
  bool ended_ HF_GUARDED_BY(mutex_) = false;
  std::function<void()> waker_ HF_GUARDED_BY(mutex_);
};

struct InProcess : testing::Test {
  LambdaService service;
  std::unique_ptr<Client> client = make_in_process(
      service,
      {.address = "in-process", .certificate = true, .common_name = "me", .organizations = {"us"}});

  void answer_with(const std::shared_ptr<BodyStream>& body, int status = 200) {
    service.answer = [body, status](const Request&, const Respond& respond) {
      respond({.status = status, .stream = body});
    };
  }
};

TEST_F(InProcess, ServiceSeesTheWholeRequestAndThePeer) {
  service.answer = [](const Request& request, const Respond& respond) {
    Response response{.status = 201, .body = request.method + request.path + request.body};
    response.headers.add("X-Name", request.peer.common_name + request.peer.organizations.at(0));
    response.headers.add("X-Query", query_value(request.query, "a b"));
    response.headers.add("X-Type", request.headers.get("Content-Type"));
    respond(std::move(response));
  };
  Call call{.method = "POST", .target = "/x%2Fy?a%20b=c", .body = "!"};
  call.headers.set("Content-Type", "text/plain");

  const auto response = client->call(call);

  ASSERT_TRUE(response) << response.error().what();
  EXPECT_EQ(response->status, 201);
  EXPECT_EQ(response->body, "POST/x/y!");
  EXPECT_EQ(response->headers.get("X-Name"), "meus");
  EXPECT_EQ(response->headers.get("X-Query"), "c");
  EXPECT_EQ(response->headers.get("X-Type"), "text/plain");
}

TEST_F(InProcess, AnswerMayComeFromAnotherThread) {
  std::jthread later;
  service.answer = [&later](const Request&, const Respond& respond) {
    later = std::jthread([respond] { respond({.body = "late"}); });
  };

  const auto response = client->call({.target = "/"});

  ASSERT_TRUE(response) << response.error().what();
  EXPECT_EQ(response->body, "late");
}

TEST_F(InProcess, CallEndsWithItsTimeAndALateAnswerIsDropped) {
  Respond kept;
  service.answer = [&kept](const Request&, Respond respond) { kept = std::move(respond); };

  const auto response = client->call({.target = "/slow", .timeout = 20ms});

  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().fault(), Fault::Unavailable);
  EXPECT_EQ(response.error().what(), "GET /slow in this process: no answer within 20 ms");
  kept({.body = "nobody waits any more"});
}

TEST_F(InProcess, StopEndsACallThatWaits) {
  Signal waiting;
  service.answer = [&waiting](const Request&, const Respond&) { waiting.set(); };
  std::stop_source stop;
  const std::jthread stopper([&] {
    waiting.wait();
    stop.request_stop();
  });

  const auto response = client->call({.target = "/", .timeout = 1h, .stop = stop.get_token()});

  ASSERT_FALSE(response);
  EXPECT_NE(response.error().what().find("stopped by the caller"), std::string::npos);
}

TEST_F(InProcess, StreamHandsOverBytesAsTheyCome) {
  const auto body = std::make_shared<PushedBody>();
  answer_with(body);
  body->push("one");
  std::string seen;

  const auto response = client->stream({.target = "/", .timeout = 1h}, [&](std::string_view bytes) {
    seen += bytes;
    if (seen == "one") std::thread([body] { body->push("two", true); }).detach();
    return true;
  });

  ASSERT_TRUE(response) << response.error().what();
  EXPECT_EQ(seen, "onetwo");
  EXPECT_EQ(response->body, "");
}

TEST_F(InProcess, StreamEndsWhenTheReaderHasEnough) {
  const auto body = std::make_shared<PushedBody>();
  answer_with(body);
  body->push("bytes");

  EXPECT_TRUE(client->stream({.target = "/"}, [](std::string_view) { return false; }));
  EXPECT_EQ(body.use_count(), 2);  // the lambda's and ours: the reader has let go
}

TEST_F(InProcess, StopEndsAnIdleStream) {
  const auto body = std::make_shared<PushedBody>();
  answer_with(body);
  body->push("first");
  std::stop_source stop;

  const auto response =
      client->stream({.target = "/", .stop = stop.get_token()}, [&stop](std::string_view) {
        std::thread([stop]() mutable { stop.request_stop(); }).detach();
        return true;
      });

  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().fault(), Fault::Unavailable);
}

TEST_F(InProcess, RefusalOfAStreamComesWithItsBody) {
  service.answer = [](const Request&, const Respond& respond) {
    respond({.status = 410, .body = "gone"});
  };

  const auto response = client->stream({.target = "/"}, [](std::string_view) { return true; });

  ASSERT_TRUE(response) << response.error().what();
  EXPECT_EQ(response->status, 410);
  EXPECT_EQ(response->body, "gone");
}

TEST_F(InProcess, CallOfAStreamedAnswerCollectsItWithinItsTime) {
  const auto whole = std::make_shared<PushedBody>(), half = std::make_shared<PushedBody>();
  whole->push("all of it", true);
  half->push("half of it");

  answer_with(whole);
  EXPECT_EQ(client->call({.target = "/"})->body, "all of it");
  answer_with(half);
  EXPECT_FALSE(client->call({.target = "/", .timeout = 20ms}));
}

TEST_F(InProcess, BodyOverTheBoundIsRefused) {
  const auto body = std::make_shared<PushedBody>();
  body->push("12345", true);
  answer_with(body);
  EXPECT_EQ(client->call({.target = "/", .max_response = 4}).error().fault(), Fault::Corrupt);

  service.answer = [](const Request&, const Respond& respond) { respond({.body = "12345"}); };
  EXPECT_EQ(client->call({.target = "/", .max_response = 4}).error().fault(), Fault::Corrupt);
  EXPECT_TRUE(client->call({.target = "/", .max_response = 5}));
}

TEST_F(InProcess, ManyThreadsShareOneClient) {
  service.answer = [](const Request& request, const Respond& respond) {
    respond({.body = request.path});
  };
  std::atomic<int> good{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        const std::string target = "/" + std::to_string(i);
        for (int k = 0; k < 200; ++k)
          if (const auto response = client->call({.target = target}); response->body == target)
            ++good;
      });
  }
  EXPECT_EQ(good.load(), 800);
}

}  // namespace
}  // namespace holdfast::net
