#include <holdfast/workloads/workloads.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace holdfast::workloads {
namespace {

std::vector<std::string> names(std::string_view list) {
  std::vector<std::string> out;
  for (const control::ControllerSpec& spec : controllers(list)) out.push_back(spec.name);
  return out;
}

TEST(Controllers, AreNamedAsInTheListThatChoosesThem) {
  const std::vector<std::string_view> all = known();

  const std::vector<std::string> made = names("*");

  EXPECT_TRUE(std::equal(made.begin(), made.end(), all.begin(), all.end()));
}

TEST(Controllers, AreSwitchedByFullAndByShortNames) {
  EXPECT_EQ(names("replicaset,garbage-collector-controller"),
            std::vector<std::string>{"replicaset-controller"});
  EXPECT_EQ(names("*,-deployment,-replicaset-controller").size(), known().size() - 2);
  EXPECT_TRUE(names("-*").empty());
}

TEST(Controllers, WatchFirstWhatTheirKeysName) {
  for (const control::ControllerSpec& spec : controllers("*")) {
    ASSERT_FALSE(spec.watches.empty()) << spec.name;
    EXPECT_FALSE(spec.watches[0].lookup) << spec.name;
    EXPECT_NE(spec.make(), nullptr) << spec.name;
  }
}

}  // namespace
}  // namespace holdfast::workloads
