#include <holdfast/control/report.h>

#include "cached_objects.h"

namespace holdfast::control {
namespace {

struct Boat {
  static constexpr model::Kind kKind{"test.dev", "v1", "Boat"};
  struct Spec {
    template <class V>
    void fields(V&) {}
  } spec{};
  struct Status {
    std::string harbour{};
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v) {
      v.optional("harbour", harbour, "where it lies");
      v.optional("conditions", conditions, "what is so");
    }
  } status{};
};

const char* const kBoat =
    R"({"metadata":{"namespace":"sea","name":"ida","uid":"u1","resourceVersion":"7"}})";
const WallTime kFirst{std::chrono::seconds(0)}, kLater{std::chrono::seconds(60)};

TEST(Report, SendsWhatChangedAndNothingElse) {
  Boat seen;
  seen.status.harbour = "Kiel";
  Report<Boat> report(seen, 3, kFirst, "Sail");
  report.condition("Afloat", true, "Launched", "it swims").note(false, "Launched", "it swims");

  const Outcome outcome = report.outcome(cached(kBoat));

  const Write* const write = outcome.write();
  ASSERT_NE(write, nullptr);
  EXPECT_EQ(write->text(), "patch boats.test.dev/status sea/ida");
  EXPECT_EQ(write->only.resource_version, "7") << "a status decides on what was seen";
  EXPECT_FALSE(model::find(write->body, {"status", "harbour"}));
  const auto& conditions = model::array_at(write->body, {"status", "conditions"});
  ASSERT_EQ(conditions.size(), 1U);
  EXPECT_EQ(model::int_at(conditions[0], {"observedGeneration"}, 0), 3);
  ASSERT_TRUE(write->note);
  EXPECT_EQ(write->note->action, "Sail");
}

TEST(Report, MovesTheTimeOfAConditionOnlyWithItsStatus) {
  Boat seen;
  Report<Boat> first(seen, 1, kFirst, "Sail");
  EXPECT_TRUE(first.set("Afloat", "False", "Building", ""));
  seen.status = first.status();

  Report<Boat> again(seen, 1, kLater, "Sail");
  EXPECT_FALSE(again.set("Afloat", "False", "Building", ""));
  EXPECT_TRUE(again.set("Afloat", "False", "StillBuilding", ""));
  EXPECT_EQ(find_condition(again.status().conditions, "Afloat")->last_transition_time,
            "1970-01-01T00:00:00Z");
  EXPECT_TRUE(again.set("Afloat", "True", "Launched", ""));
  EXPECT_EQ(find_condition(again.status().conditions, "Afloat")->last_transition_time,
            "1970-01-01T00:01:00Z");
}

TEST(Report, DropsAConditionThatIsSoNoLonger) {
  Boat seen;
  seen.status.conditions = {{"Afloat", "True", "Launched", "", "", 0}};
  Report<Boat> report(seen, 1, kFirst, "Sail");
  report.drop_condition("Afloat").drop_condition("NeverThere");
  EXPECT_EQ(find_condition(report.status().conditions, "Afloat"), nullptr);
}

}  // namespace
}  // namespace holdfast::control
