// Queue of the moves of a location.
#include "queue/queue.h"

#include <holdfast/model/json.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

InQueue in(const std::string& ns, int second, bool own = false) {
  const std::string name = ns + "-" + std::to_string(second);
  return {.key = {ns, name},
          .uid = name,
          .repository = ns,
          .own = own,
          .since = WallTime(std::chrono::seconds(second))};
}

Queue queue(std::vector<InQueue> working, std::vector<InQueue> waiting) {
  return {.limits = {.moves = 3, .per_namespace = 2},
          .location = "admins/vault",
          .working = std::move(working),
          .waiting = std::move(waiting)};
}

std::vector<std::string> names(const Queue& of) {
  std::vector<std::string> out;
  for (const kube::Key& each : may_begin(of)) out.push_back(each.name);
  return out;
}

using Names = std::vector<std::string>;

TEST(Queue, TheOldestThatMayComesNext) {
  const Queue all =
      queue({in("red", 1)}, {in("red", 2), in("red", 3), in("blue", 4), in("blue", 5)});
  EXPECT_EQ(names(all), (Names{"red-2", "blue-4"})) << "red has two then, and all three";
  EXPECT_EQ(must_wait(all, {"red", "red-2"}).reason, "");
  EXPECT_EQ(must_wait(all, {"red", "red-3"}).reason, "RepositoryBusy");
  EXPECT_EQ(must_wait(all, {"blue", "blue-4"}).reason, "");
  EXPECT_EQ(must_wait(all, {"blue", "blue-5"}).reason, "LocationBusy");
}

TEST(Queue, ATenantThatIsFullKeepsNoOtherWaiting) {
  std::vector<InQueue> many;
  for (int i = 3; i < 30; ++i) many.push_back(in("red", i));
  many.push_back(in("blue", 30));
  EXPECT_EQ(names(queue({in("red", 1), in("red", 2)}, many)), Names{"blue-30"});
}

TEST(Queue, AdministratorsHavePlacesOfTheirOwn) {
  const Queue full = queue(
      {in("a", 1), in("b", 2), in("c", 3)},
      {in("d", 4), in("admins.d", 5, true), in("admins.d", 6, true), in("admins.d", 7, true)});
  EXPECT_EQ(names(full), (Names{"admins.d-5", "admins.d-6"}));
}

TEST(Queue, MessagesNameTheLimitAndNoPosition) {
  const Queue all = queue({in("red", 1), in("red", 2)}, {in("red", 3), in("red", 4)});
  const auto third = must_wait(all, {"red", "red-3"}), fourth = must_wait(all, {"red", "red-4"});
  EXPECT_EQ(third.message, fourth.message) << "a position would be written again and again";
  EXPECT_NE(third.message.find("spec.limits.movesPerNamespace"), std::string::npos);
  EXPECT_NE(third.message.find("admins/vault"), std::string::npos);
}

kube::Cached object(std::string_view text) {
  return kube::Cached::from_value(model::parse_json(text).take().value).take();
}

TEST(Queue, PlacesAreHeldByMoversOfTheLocation) {
  const LocationSeen location{"admins", "vault", "", {}, 1};
  const auto move = [](std::string_view name, std::string_view uid) {
    return object(fmt::format(
        R"({{"metadata":{{"namespace":"red","name":"{}","uid":"{}","resourceVersion":"1",
             "creationTimestamp":"2026-01-01T00:00:0{}Z"}},
            "status":{{"phase":"Accepted","location":{{"name":"vault","namespace":"admins"}}}}}})",
        name, uid, uid));
  };
  const auto mover = [](std::string_view uid, std::string_view at) {
    return object(fmt::format(
        R"({{"metadata":{{"namespace":"admins","name":"mover-{0}","uid":"m{0}","resourceVersion":"1",
             "labels":{{"holdfast.dev/data-move":"{0}"}}}},
            "spec":{{"location":"{1}","repository":"red"}}}})",
        uid, at));
  };

  const Queue made = queue_of(location, {mover("1", "vault"), mover("9", "other")},
                              {move("c", "3"), move("a", "1"), move("b", "2")}, {});

  ASSERT_EQ(made.working.size(), 1U);
  EXPECT_EQ(made.working[0].uid, "1");
  ASSERT_EQ(made.waiting.size(), 2U) << "that one has a place";
  EXPECT_EQ(made.waiting[0].key.name, "b");
  EXPECT_FALSE(made.waiting[0].own);
  std::vector<std::string> places;
  by_location()(move("c", "3"), places);
  EXPECT_EQ(places, std::vector<std::string>{"admins/vault"});
}

}  // namespace
}  // namespace holdfast::protect
