// What a DataMove may not ask for, and by which field it is told so.
#include "moves/objection.h"

#include <gtest/gtest.h>

#include <functional>

namespace holdfast::protect {
namespace {

using Spec = DataMove::Spec;
using Direction = DataMove::Direction;

struct Case {
  const char* name;
  std::function<void(Spec&)> change;
  std::string says;  ///< part of the objection; "" = there is none
};

void check(const Spec& good, const std::vector<Case>& cases) {
  EXPECT_EQ(objection(good), "");
  for (const Case& each : cases) {
    Spec spec = good;
    each.change(spec);
    const std::string said = objection(spec);
    EXPECT_NE(said.find(each.says), std::string::npos) << each.name << ": " << said;
    EXPECT_EQ(said.empty(), each.says.empty()) << each.name << ": " << said;
  }
}

Spec of_claim(Direction direction) {
  Spec spec;
  spec.direction = direction;
  spec.volume = DataMove::Volume{.claim = "data"};
  if (direction == Direction::Restore) spec.snapshot = "latest";
  return spec;
}

TEST(MoveObjection, OfBackups) {
  check(
      of_claim(Direction::Backup),
      {{"no source", [](Spec& s) { s.volume.reset(); }, "spec.volume"},
       {"two sources", [](Spec& s) { s.pod = DataMove::Pod{.name = "db", .directory = "/d"}; },
        "exactly one of"},
       {"a tag", [](Spec& s) { s.tags = {"vg=shop/db"}; }, ""},
       {"empty tag",
        [](Spec& s) {
          s.tags = {"a", ""};
        },
        "spec.tags"},
       {"comma", [](Spec& s) { s.tags = {"a,b"}; }, "spec.tags"},
       {"long tag", [](Spec& s) { s.tags = {std::string(257, 'x')}; }, "spec.tags"},
       {"many tags", [](Spec& s) { s.tags.assign(33, "x"); }, "spec.tags"},
       {"interval", [](Spec& s) { s.follow = DataMove::Follow{"soon"}; }, "spec.follow.interval"}});
}

TEST(MoveObjection, OfRestores) {
  check(of_claim(Direction::Restore),
        {{"of nothing", [](Spec& s) { s.snapshot.clear(); }, "spec.snapshot"},
         {"tags", [](Spec& s) { s.tags = {"a"}; }, "spec.tags"},
         {"follow", [](Spec& s) { s.follow = DataMove::Follow{"5m"}; }, "spec.follow"},
         {"into a snapshot", [](Spec& s) { s.volume = DataMove::Volume{.snapshot = "cut"}; },
          "name a claim"}});
}

}  // namespace
}  // namespace holdfast::protect
