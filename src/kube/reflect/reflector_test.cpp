/// Drives the passive reflector with scripted answers, one state transition per test.
#include <holdfast/kube/reflector.h>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

namespace holdfast::kube {
namespace {

using namespace std::chrono_literals;
using Do = Reflector::Next::Do;

std::string object(std::string_view name, uint64_t version, std::string_view uid = "") {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"shop","uid":"{}","resourceVersion":"{}"}}}})",
      name, uid.empty() ? name : uid, version);
}

std::string event(std::string_view type, const std::string& what) {
  return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, what);
}

std::string bookmark(uint64_t version, bool initial_end = false) {
  return event(
      "BOOKMARK",
      fmt::format(R"({{"kind":"Pod","metadata":{{"resourceVersion":"{}"{}}}}})", version,
                  initial_end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : ""));
}

std::string page(uint64_t version, const std::vector<std::string>& items,
                 std::string_view next = "") {
  return fmt::format(
      R"({{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"{}","continue":"{}"}},)"
      R"("items":[{}]}})",
      version, next, fmt::join(items, ","));
}

std::string status(int code, std::string_view reason, std::string_view message,
                   std::string_view details = "{}") {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","status":"Failure","code":{},"reason":"{}",)"
      R"("message":"{}","details":{}}})",
      code, reason, message, details);
}

const std::string kTooLarge =
    status(504, "Timeout", "Too large resource version: 9, current: 5",
           R"({"causes":[{"reason":"ResourceVersionTooLarge"}],"retryAfterSeconds":1})");

struct ReflectorSteps : testing::Test {
  SeededRandom random{1};
  ManualClock clock{WallTime{}};
  Informer informer{{.resource = kPods, .ns = "shop"}};
  std::unique_ptr<Reflector> reflector = std::make_unique<Reflector>(informer, random, "tester/1");
  std::vector<std::string> told;

  void SetUp() override {
    informer.on_change([this](const Change& change) {
      static const std::map<Change::Kind, std::string> kWords{
          {Change::Kind::Added, "+"}, {Change::Kind::Updated, "~"}, {Change::Kind::Deleted, "-"}};
      told.push_back(kWords.at(change.kind) + std::string(change.object().name()) +
                     (change.initial ? "i" : "") + (change.final_state_unknown ? "?" : ""));
    });
  }
  Reflector::Next next() { return reflector->next(clock.mono()); }
  net::Call expect(Do what) {
    const Reflector::Next step = next();
    EXPECT_EQ(step.what, what) << step.call.target << " " << reflector->trouble().text;
    return step.call;
  }
  /// Goes to the end of a pause and tells its length.
  MonoTime pause() {
    const Reflector::Next step = next();
    EXPECT_EQ(step.what, Do::Wait) << step.call.target;
    const MonoTime length = step.until - clock.mono();
    clock.advance(length);
    return length;
  }
  void answer(int code, std::string body) {
    reflector->listed(net::Response{.status = code, .body = std::move(body)}, clock.mono());
  }
  bool receive(const std::string& bytes) { return reflector->received(bytes, clock.mono()); }
  void end(std::chrono::microseconds after = 5min) {
    clock.advance(after);
    reflector->ended(net::Response{}, clock.mono());
  }
  void refuse(int code, std::string body, std::string_view retry_after = "") {
    net::Response response{.status = code, .body = std::move(body)};
    if (!retry_after.empty()) response.headers.set("Retry-After", retry_after);
    reflector->ended(std::move(response), clock.mono());
  }
  void cut() { reflector->ended(Error(Fault::Unavailable, "connection refused"), clock.mono()); }

  /// To Watching at version 10 with objects a and b.
  void sync() {
    expect(Do::Watch);
    EXPECT_TRUE(receive(event("ADDED", object("a", 3)) + event("ADDED", object("b", 7)) +
                        bookmark(10, true)));
    EXPECT_TRUE(informer.synced());
    told.clear();
  }
  /// The same with a server that lists.
  void fall_back() {
    expect(Do::Watch);
    refuse(422, status(422, "Invalid", "sendInitialEvents is forbidden"));
  }
  void sync_by_list() {
    fall_back();
    expect(Do::List);
    answer(200, page(10, {object("a", 3), object("b", 7)}));
    EXPECT_TRUE(informer.synced());
    told.clear();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const Cached& each : informer.list())
      names.push_back(fmt::format("{}@{}", each.name(), each.version()));
    return names;
  }
  using Names = std::vector<std::string>;
};

bool has(const net::Call& call, std::string_view part) {
  return call.target.find(part) != std::string::npos;
}

TEST_F(ReflectorSteps, StreamsTheFirstListAndWatchesOnTheSameStream) {
  const net::Call call = expect(Do::Watch);
  EXPECT_TRUE(call.target.starts_with("/api/v1/namespaces/shop/pods?watch=true")) << call.target;
  EXPECT_TRUE(has(call, "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"));
  EXPECT_TRUE(has(call, "allowWatchBookmarks=true"));
  EXPECT_FALSE(has(call, "resourceVersion="));
  EXPECT_EQ(call.headers.get("User-Agent"), "tester/1");

  EXPECT_TRUE(receive(event("ADDED", object("b", 7)) + event("ADDED", object("a", 3))));
  EXPECT_FALSE(informer.synced());
  EXPECT_EQ(informer.size(), 0u);
  EXPECT_TRUE(receive(bookmark(10, true)));

  EXPECT_TRUE(informer.synced());
  EXPECT_EQ(informer.progress(), 10u);
  EXPECT_EQ(told, (Names{"+ai", "+bi"}));
  EXPECT_TRUE(receive(event("MODIFIED", object("a", 11)) + event("DELETED", object("b", 12))));
  EXPECT_EQ(told, (Names{"+ai", "+bi", "~a", "-b"}));
  EXPECT_EQ(names(), (Names{"a@11"}));
  EXPECT_EQ(reflector->lists(), 1);
}

TEST_F(ReflectorSteps, ChangesWhileStreamingCount) {
  expect(Do::Watch);

  receive(event("ADDED", object("a", 3)) + event("ADDED", object("b", 4)) +
          event("MODIFIED", object("a", 11)) + event("DELETED", object("b", 12)) +
          event("ADDED", object("b", 13, "b2")) + event("ADDED", object("c", 5)) +
          event("DELETED", object("c", 14)) + bookmark(15, true));

  EXPECT_EQ(names(), (Names{"a@11", "b@13"}));
  EXPECT_EQ(told, (Names{"+ai", "+bi"}));
}

TEST_F(ReflectorSteps, ServerWithoutStreamedListsIsListedForGood) {
  fall_back();

  const net::Call list = expect(Do::List);
  EXPECT_EQ(list.target, "/api/v1/namespaces/shop/pods?limit=500&resourceVersion=0");
  answer(200, page(10, {object("a", 3)}));
  const net::Call watch = expect(Do::Watch);
  EXPECT_TRUE(has(watch, "resourceVersion=10")) << watch.target;
  EXPECT_FALSE(has(watch, "sendInitialEvents"));
  refuse(410, status(410, "Expired", "too old resource version: 10 (90)"));
  EXPECT_TRUE(has(expect(Do::List), "resourceVersion=10&resourceVersionMatch=NotOlderThan"));
}

TEST_F(ReflectorSteps, StreamThatEndsWithoutItsBookmarkIsNoStreamedList) {
  expect(Do::Watch);
  receive(event("ADDED", object("a", 3)));
  end(1min);

  expect(Do::List);
  EXPECT_FALSE(informer.synced());
}

TEST_F(ReflectorSteps, StreamThatIsCutIsTriedAgainFromTheStart) {
  expect(Do::Watch);
  receive(event("ADDED", object("a", 3)));
  cut();
  pause();

  EXPECT_TRUE(has(expect(Do::Watch), "sendInitialEvents"));
  receive(event("ADDED", object("b", 4)) + bookmark(5, true));
  EXPECT_EQ(names(), (Names{"b@4"}));
}

TEST_F(ReflectorSteps, PagesAreGatheredUntilTheLast) {
  fall_back();
  expect(Do::List);
  answer(200, page(10, {object("a", 3)}, "t/1="));
  EXPECT_FALSE(informer.synced());
  const net::Call second = expect(Do::List);
  EXPECT_TRUE(has(second, "continue=t%2F1%3D")) << second.target;
  EXPECT_FALSE(has(second, "resourceVersion"));
  answer(200, page(10, {object("b", 7)}));

  EXPECT_EQ(names(), (Names{"a@3", "b@7"}));
  EXPECT_EQ(reflector->lists(), 2) << "the streamed try counts";
}

TEST_F(ReflectorSteps, APageThatIsNoStatusIsToldInOneLine) {
  expect(Do::Watch);
  refuse(404, "404 page not found\n");
  EXPECT_EQ(reflector->trouble().text, "pods in shop: streamed list: 404 404 page not found");
}

TEST_F(ReflectorSteps, PageThatFailsIsAskedForAgain) {
  fall_back();
  expect(Do::List);
  answer(200, page(10, {object("a", 3)}, "next"));
  expect(Do::List);
  reflector->listed(Error(Fault::Unavailable, "connection reset"), clock.mono());
  EXPECT_EQ(reflector->trouble().text, "pods in shop: list: connection reset");
  pause();

  EXPECT_TRUE(has(expect(Do::List), "continue=next"));
  answer(200, page(10, {object("b", 7)}));
  EXPECT_EQ(names(), (Names{"a@3", "b@7"}));
  EXPECT_EQ(reflector->trouble().text, "");
}

TEST_F(ReflectorSteps, ExpiredPageStartsOverInOneAnswer) {
  fall_back();
  expect(Do::List);
  answer(200, page(10, {object("a", 3)}, "next"));
  expect(Do::List);
  answer(410, status(410, "Expired", "The provided continue parameter is too old"));

  const net::Call whole = expect(Do::List);
  EXPECT_EQ(whole.target, "/api/v1/namespaces/shop/pods?limit=0");
  answer(200, page(20, {object("b", 17)}));
  EXPECT_EQ(names(), (Names{"b@17"}));
}

TEST_F(ReflectorSteps, ListAtAVersionThatIsGoneAsksForTheNewest) {
  for (const auto& [code, body] :
       {std::pair(410, status(410, "Expired", "too old")), std::pair(504, kTooLarge)}) {
    reflector = std::make_unique<Reflector>(informer, random);
    sync_by_list();
    expect(Do::Watch);
    refuse(410, status(410, "Gone", "gone"));
    expect(Do::List);
    answer(code, body);

    EXPECT_EQ(expect(Do::List).target, "/api/v1/namespaces/shop/pods?limit=500") << code;
    // Even an older state is then the truth: the server was set back.
    answer(200, page(2, {object("a", 1)}));
    EXPECT_EQ(names(), (Names{"a@1"}));
    EXPECT_EQ(informer.progress(), 2u);
    EXPECT_TRUE(has(expect(Do::Watch), "resourceVersion=2&") ||
                has(expect(Do::Watch), "resourceVersion=2"));
  }
}

TEST_F(ReflectorSteps, StreamedRelistAtAVersionThatIsGoneAsksForTheNewest) {
  sync();
  receive(event("ERROR", status(410, "Expired", "too old resource version")));
  reflector->ended(net::Response{}, clock.mono());
  const net::Call again = expect(Do::Watch);
  EXPECT_TRUE(has(again, "sendInitialEvents=true"));
  EXPECT_TRUE(has(again, "&resourceVersion=10")) << again.target;
  refuse(504, kTooLarge);

  const net::Call newest = expect(Do::Watch);
  EXPECT_TRUE(has(newest, "sendInitialEvents=true"));
  EXPECT_FALSE(has(newest, "&resourceVersion=")) << newest.target;
}

TEST_F(ReflectorSteps, RelistTellsWhatWasMissed) {
  sync();
  EXPECT_FALSE(receive(event("ERROR", status(410, "Expired", "too old"))));
  reflector->ended(net::Response{}, clock.mono());
  expect(Do::Watch);
  EXPECT_EQ(names(), (Names{"a@3", "b@7"})) << "readers keep the old state meanwhile";

  receive(event("ADDED", object("b", 15)) + event("ADDED", object("c", 12)) + bookmark(20, true));

  EXPECT_EQ(told, (Names{"-ai?", "~bi", "+ci"}));
  EXPECT_EQ(reflector->lists(), 2);
}

TEST_F(ReflectorSteps, RelistOfTheSameStateTellsNothing) {
  sync();
  refuse(410, status(410, "Expired", "too old"));
  expect(Do::Watch);
  const char* const before = informer.get("shop", "a").text().data();

  receive(event("ADDED", object("a", 3)) + event("ADDED", object("b", 7)) + bookmark(20, true));

  EXPECT_EQ(told, Names{});
  EXPECT_EQ(informer.get("shop", "a").text().data(), before) << "kept once";
  EXPECT_EQ(informer.progress(), 20u);
}

TEST_F(ReflectorSteps, NameReusedByAnotherObjectIsADeletionAndAnAddition) {
  sync();
  receive(event("ADDED", object("a", 11, "other")));

  EXPECT_EQ(told, (Names{"-a?", "+a"}));
}

TEST_F(ReflectorSteps, BookmarksMoveTheVersion) {
  sync();
  receive(bookmark(99));
  EXPECT_EQ(informer.progress(), 99u);
  EXPECT_EQ(told, Names{});
  end();

  const net::Call again = expect(Do::Watch);
  EXPECT_TRUE(has(again, "resourceVersion=99")) << again.target;
  EXPECT_FALSE(has(again, "sendInitialEvents"));
  EXPECT_EQ(reflector->trouble().text, "");
}

TEST_F(ReflectorSteps, WatchTimeoutIsDrawnBetweenFiveAndTenMinutes) {
  sync();
  std::vector<int> seen;
  for (int i = 0; i < 50; ++i) {
    end();
    const std::string target = expect(Do::Watch).target;
    seen.push_back(std::stoi(target.substr(target.find("timeoutSeconds=") + 15)));
  }

  EXPECT_GE(*std::min_element(seen.begin(), seen.end()), 300);
  EXPECT_LE(*std::max_element(seen.begin(), seen.end()), 600);
  EXPECT_LT(*std::min_element(seen.begin(), seen.end()),
            *std::max_element(seen.begin(), seen.end()));
}

TEST_F(ReflectorSteps, WatchThatEndsAtOncePausesLongerEachTime) {
  sync();
  std::vector<MonoTime> pauses;
  end(10ms);
  for (int i = 0; i < 8; ++i) {
    pauses.push_back(pause());
    EXPECT_FALSE(has(expect(Do::Watch), "sendInitialEvents")) << "no list";
    end(10ms);
  }

  MonoTime least = 800ms;
  for (const MonoTime length : pauses) {
    EXPECT_GE(length, least);
    EXPECT_LT(length, 2 * least);
    least = std::min<MonoTime>(2 * least, 30s);
  }
  pause();
  expect(Do::Watch);
  end(3min);
  expect(Do::Watch);
  end(10ms);
  EXPECT_LT(pause(), 1600ms) << "after two quiet minutes it begins anew";
}

TEST_F(ReflectorSteps, AServerThatIsAwayIsAskedAgainWithinSeconds) {
  sync();
  for (int i = 0; i < 10; ++i) {
    cut();
    EXPECT_LT(pause(), 8s);
    expect(Do::Watch);
  }
  for (int i = 0; i < 10; ++i) {
    refuse(503, status(503, "ServiceUnavailable", "starting"));
    EXPECT_LT(pause(), 8s);
    expect(Do::Watch);
  }
  for (int i = 0; i < 10; ++i) {
    refuse(403, status(403, "Forbidden", "no"));
    EXPECT_LT(pause(), 12s) << "a person gives the right";
    next();
  }
}

TEST_F(ReflectorSteps, AnAnswerToOthersEndsThePauseForWantOfOne) {
  sync();
  cut();
  EXPECT_EQ(next().what, Do::Wait);
  EXPECT_TRUE(reflector->is_away(clock.mono()));
  reflector->hurry(clock.mono());
  expect(Do::Watch);

  refuse(429, status(429, "TooManyRequests", "later"), "17");
  reflector->hurry(clock.mono());
  EXPECT_EQ(next().what, Do::Wait) << "it was told when to come back";
  pause();
  refuse(503, status(503, "ServiceUnavailable", "later"), "5");
  reflector->hurry(clock.mono());
  EXPECT_EQ(next().what, Do::Wait);
  pause();
  refuse(403, status(403, "Forbidden", "no"));
  reflector->hurry(clock.mono());
  EXPECT_EQ(next().what, Do::Wait);
}

TEST_F(ReflectorSteps, RefusalsPauseAndReopenWithoutAList) {
  sync();
  cut();
  pause();
  EXPECT_TRUE(has(expect(Do::Watch), "resourceVersion=10"));
  refuse(429, status(429, "TooManyRequests", "later"), "17");
  EXPECT_NE(reflector->trouble().text.find("watch: 429 later"), std::string::npos);
  EXPECT_GE(pause(), 17s);
  EXPECT_TRUE(has(expect(Do::Watch), "resourceVersion=10"));
  receive(event("ERROR", status(500, "InternalError", "oops")));
  reflector->ended(net::Response{}, clock.mono());
  pause();
  EXPECT_TRUE(has(expect(Do::Watch), "resourceVersion=10"));
  receive(bookmark(12));

  EXPECT_EQ(reflector->trouble().text, "");
  EXPECT_EQ(reflector->lists(), 1);
}

TEST_F(ReflectorSteps, RefusalsWithoutEndLeadToAList) {
  sync();
  for (int i = 0; i < 4; ++i) {
    refuse(504, kTooLarge);
    pause();
    EXPECT_FALSE(has(expect(Do::Watch), "sendInitialEvents"));
  }
  refuse(504, kTooLarge);
  pause();

  EXPECT_TRUE(has(expect(Do::Watch), "sendInitialEvents"));
}

TEST_F(ReflectorSteps, HalfAnEventLeadsToAList) {
  for (const std::string& line : {std::string("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\n"),
                                  std::string("{\"type\":\"ADDED\"}\n"), std::string("<html>\n"),
                                  event("GROWN", object("a", 12)), event("ADDED", "{}")}) {
    reflector = std::make_unique<Reflector>(informer, random);
    sync();
    EXPECT_FALSE(receive(line)) << line;
    reflector->ended(net::Response{}, clock.mono());
    EXPECT_NE(reflector->trouble().text, "");
    EXPECT_GE(pause(), 800ms);

    EXPECT_TRUE(has(expect(Do::Watch), "sendInitialEvents"));
    EXPECT_EQ(names(), (Names{"a@3", "b@7"})) << "readers keep what they had";
  }
}

TEST_F(ReflectorSteps, HalfALineAtTheEndOfAStreamIsForgotten) {
  sync();
  const std::string line = event("ADDED", object("c", 12));
  receive(line.substr(0, 20));
  end();
  expect(Do::Watch);

  EXPECT_TRUE(receive(line));
  EXPECT_EQ(told, (Names{"+c"}));
}

TEST_F(ReflectorSteps, LinesMayArriveByteByByte) {
  expect(Do::Watch);
  const std::string all = event("ADDED", object("a", 3)) + "\r\n\n" + bookmark(10, true) +
                          event("MODIFIED", object("a", 12));
  for (const char byte : all) EXPECT_TRUE(receive(std::string(1, byte)));

  EXPECT_EQ(names(), (Names{"a@12"}));
}

TEST_F(ReflectorSteps, LargeObjectsPassAndEndlessLinesDoNot) {
  sync();
  std::string large = object("c", 12);
  large.insert(1, "\"data\":\"" + std::string(1536 * 1024, 'x') + "\",");
  EXPECT_TRUE(receive(event("ADDED", large)));
  EXPECT_EQ(informer.get("shop", "c").version(), 12u);

  bool open = true;
  size_t sent = 0;
  const std::string piece(64 * 1024, 'x');
  for (; open && sent < (size_t(16) << 20); sent += piece.size()) open = receive(piece);
  EXPECT_FALSE(open);
  EXPECT_LE(sent, (size_t(8) << 20) + 2 * piece.size());
  reflector->ended(net::Response{}, clock.mono());
  EXPECT_NE(reflector->trouble().text.find("event of more than"), std::string::npos);
  pause();
  EXPECT_TRUE(has(expect(Do::Watch), "sendInitialEvents"));
}

TEST_F(ReflectorSteps, WhatCameTwiceIsNoNews) {
  sync();
  receive(event("MODIFIED", object("a", 11)) + event("DELETED", object("b", 12)));
  told.clear();
  receive(event("MODIFIED", object("a", 11)) + event("ADDED", object("b", 7)) +
          event("DELETED", object("b", 12)));

  EXPECT_EQ(told, Names{});
  EXPECT_EQ(names(), (Names{"a@11"}));
}

TEST_F(ReflectorSteps, BadListsPauseAndStartOver) {
  fall_back();
  for (const std::string& body :
       {std::string(), std::string("{\"items\":[{"), std::string("{}"), page(0, {}),
        page(5, {}, "more"), page(5, {"{}"}), std::string("<html>busy</html>")}) {
    expect(Do::List);
    answer(200, body);
    EXPECT_NE(reflector->trouble().text, "") << body;
    EXPECT_GE(pause(), 800ms);
  }
  answer(200, page(5, {object("a", 1)}));
  EXPECT_TRUE(informer.synced());
}

TEST_F(ReflectorSteps, ListThatNeverEndsIsGivenUp) {
  fall_back();
  expect(Do::List);
  answer(200, page(5, {object("a", 1)}, "same"));
  expect(Do::List);
  answer(200, page(5, {object("b", 2)}, "same"));
  EXPECT_NE(reflector->trouble().text.find("leads nowhere"), std::string::npos);
  pause();
  int pages = 0;
  for (; next().what == Do::List && pages < 30000; ++pages)
    answer(200, page(5, {object("a", 1)}, std::to_string(pages)));

  EXPECT_LE(pages, 20001);
  EXPECT_NE(reflector->trouble().text.find("no end"), std::string::npos)
      << reflector->trouble().text;
  EXPECT_FALSE(informer.synced());
}

TEST_F(ReflectorSteps, SelectorsAndMetadataAreAskedFor) {
  Informer some({.resource = kDeployments,
                 .label_selector = "app in (a,b)",
                 .field_selector = "metadata.name=x",
                 .metadata_only = true});
  Reflector asking(some, random);

  const net::Call watch = asking.next(clock.mono()).call;
  EXPECT_TRUE(watch.target.starts_with("/apis/apps/v1/deployments?watch=true"));
  EXPECT_TRUE(has(watch, "labelSelector=app%20in%20%28a%2Cb%29")) << watch.target;
  EXPECT_TRUE(has(watch, "fieldSelector=metadata.name%3Dx")) << watch.target;
  EXPECT_EQ(watch.headers.get("Accept"),
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
  asking.ended(net::Response{.status = 400}, clock.mono());
  const net::Call list = asking.next(clock.mono()).call;
  EXPECT_EQ(list.headers.get("Accept"),
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
  asking.listed(net::Response{.body = page(5, {object("a", 1)})}, clock.mono());
  EXPECT_EQ(some.get("shop", "a").text(),
            R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1",)" +
                object("a", 1).substr(1));
}

}  // namespace
}  // namespace holdfast::kube
