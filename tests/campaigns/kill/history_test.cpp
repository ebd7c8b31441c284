// The judge must be able to say no: each way of losing or inventing something is a defect.
#include "kill/history.h"

#include <gtest/gtest.h>

namespace holdfast::campaign {
namespace {

const Kind& kind() { return kinds()[0]; }

Event event(std::string type, std::string name, Version version) {
  return {type, name, version, type + name + std::to_string(version.revision)};
}

/// a is created, b is changed, a is deleted.
History good() {
  History history{kind()};
  history.before = {10, {{"b", {"uid-b", 7, "s0"}}}};
  history.events = {event("ADDED", "a", {"uid-a", 11, "s1"}),
                    event("MODIFIED", "b", {"uid-b", 12, "s2"}),
                    event("DELETED", "a", {"uid-a", 14, "s1"})};
  history.after = {15, {{"b", {"uid-b", 12, "s2"}}}};
  history.lists = {{13, {{"a", {"uid-a", 11, "s1"}}, {"b", {"uid-b", 12, "s2"}}}}};
  return history;
}

Defects judged(const History& history) {
  Defects defects;
  check_sequence(history, defects);
  return defects;
}

TEST(Judge, AcceptsAHistoryThatFollows) { EXPECT_EQ(judged(good()), Defects{}); }

TEST(Judge, SeesALostEvent) {
  History history = good();
  history.events.erase(history.events.begin());
  EXPECT_FALSE(judged(history).empty());
}

TEST(Judge, SeesARevisionThatGoesBack) {
  History history = good();
  std::swap(history.events[0], history.events[1]);
  EXPECT_FALSE(judged(history).empty());
}

TEST(Judge, SeesAListThatShowedWhatNeverCame) {
  History history = good();
  history.lists[0].state["b"].seq = "s9";
  EXPECT_FALSE(judged(history).empty());
}

TEST(Judge, SeesAListFromTheFuture) {
  History history = good();
  history.lists.push_back({16, history.after.state});
  EXPECT_FALSE(judged(history).empty());
}

TEST(Judge, SeesAStateThatDoesNotFollow) {
  History history = good();
  history.after.state["b"].revision = 7;
  EXPECT_FALSE(judged(history).empty());
}

std::vector<const Event*> pointers(const std::vector<Event>& events) {
  std::vector<const Event*> out;
  for (const Event& each : events) out.push_back(&each);
  return out;
}

Defects watched(std::vector<std::string> lines) {
  const History history = good();
  Defects defects;
  check_watch("watch", pointers(history.events), lines, defects);
  return defects;
}

TEST(Judge, SeesGapsAndRepeatsOfAWatch) {
  EXPECT_TRUE(watched({"ADDEDa11", "MODIFIEDb12", "DELETEDa14"}).empty());
  EXPECT_FALSE(watched({"ADDEDa11", "DELETEDa14"}).empty());
  EXPECT_FALSE(watched({"ADDEDa11", "MODIFIEDb12"}).empty());
  EXPECT_FALSE(watched({"ADDEDa11", "MODIFIEDb12", "DELETEDa14", "DELETEDa14"}).empty());
  EXPECT_FALSE(watched({"ADDEDa11", "ADDEDa11", "MODIFIEDb12", "DELETEDa14"}).empty());
}

/// Acknowledges creations until it is cut off, at the revisions it is told.
class Scripted final : public net::Client {
 public:
  Result<net::Response> call(const net::Call& call) override {
    if (call.method != "POST" || left_-- == 0) return Error(Fault::Unavailable, "cut off");
    model::Value object = model::parse_json(call.body)->value;
    model::ensure_object(object, {"metadata"})["uid"] = "uid-" + std::to_string(left_);
    model::ensure_object(object, {"metadata"})["resourceVersion"] = std::to_string(11 + left_);
    acknowledged.push_back(event("ADDED",
                                 std::string(model::string_at(object, {"metadata", "name"})),
                                 version_of(kind(), object)));
    net::Response response;
    response.body = model::to_json(object);
    return response;
  }
  Result<net::Response> stream(const net::Call& asked,
                               const std::function<bool(std::string_view)>&) override {
    return call(asked);
  }
  std::vector<Event> acknowledged;

 private:
  int left_ = 1;
};

TEST(Judge, SeesALostAcknowledgedWriteAndOneThatNobodyAskedFor) {
  Scripted client;
  std::vector<std::unique_ptr<Writer>> writers;
  writers.push_back(std::make_unique<Writer>(kind(), 0, 1));
  const std::atomic<bool> killing{true};
  writers[0]->run(client, killing);
  ASSERT_EQ(writers[0]->acknowledged().size(), 1u);

  History history{kind()};
  history.after.revision = 20;
  history.events = client.acknowledged;
  Defects defects;
  EXPECT_EQ(check_writes(history, writers, defects).acknowledged, 1u);
  EXPECT_EQ(defects, Defects{});

  history.events[0].version.revision = 12;
  check_writes(history, writers, defects);
  EXPECT_EQ(defects.size(), 1u);

  history.events = client.acknowledged;
  history.events.push_back(event("ADDED", "w0-99", {"uid-x", 15, "w0.99"}));
  check_writes(history, writers, defects);
  EXPECT_EQ(defects.size(), 2u);

  history.events.clear();
  check_writes(history, writers, defects);
  EXPECT_EQ(defects.size(), 3u);
}

}  // namespace
}  // namespace holdfast::campaign
