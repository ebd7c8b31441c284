#include <holdfast/control/made_for.h>

#include "cached_objects.h"

namespace holdfast::control {
namespace {

constexpr Mark kMark{"test.dev/boat", "test.dev/boat-of"};

kube::Cached made(const Mark& mark) {
  return cached(model::to_json(
      model::Object{{"metadata", made_metadata(mark, {"sea", "ida", "u1"}, "shop", "sail-1")}}));
}

TEST(MadeFor, MarksLeadBackToTheOwner) {
  const kube::Cached sail = made(kMark);
  EXPECT_EQ(kube::key_of(sail), (kube::Key{"shop", "sail-1"}));
  EXPECT_TRUE(is_made_for(sail, kMark, "u1"));
  EXPECT_FALSE(is_made_for(sail, kMark, "u2"));
  std::vector<std::string> values;
  by_owner(kMark)(sail, values);
  EXPECT_EQ(values, std::vector<std::string>{"u1"});
  EXPECT_EQ(owner_marked(kMark)(kube::Change{.after = sail}), (Keys{{"sea", "ida"}}));
}

TEST(MadeFor, WhatIsNotMarkedIsNobodys) {
  const kube::Cached other = cached(R"({"metadata":{"namespace":"shop","name":"web"}})");
  EXPECT_FALSE(is_made_for(other, kMark, "u1"));
  EXPECT_FALSE(is_made_for(kube::Cached(), kMark, "u1"));
  EXPECT_TRUE(owner_marked(kMark)(kube::Change{.after = other}).empty());
  EXPECT_TRUE(owner_marked(kMark)(kube::Change{.after = made({kMark.label, ""})}).empty());
}

// Objects in clusters have these names: another hash, and nothing is found again.
TEST(MadeFor, NamesStayWhatTheyWere) {
  EXPECT_EQ(made_name("boat", "u1", "c1", "snapshot"), "boat-342bec5d33ea75c9");
  EXPECT_EQ(name_hash(""), 0xcbf29ce484222325U);
  EXPECT_EQ(name_hash("a"), 0xaf63dc4c8601ec8cU);
}

}  // namespace
}  // namespace holdfast::control
