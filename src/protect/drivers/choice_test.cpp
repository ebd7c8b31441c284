/// Choices of drivers and settings, and the refusal of wrong ones before anything starts.
#include <holdfast/protect/driver.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using model::Object;
using model::Value;

Value definition(std::string_view name) { return Object{{"metadata", Object{{"name", name}}}}; }

Driver driver(std::string name, std::string kind) {
  Driver out{.name = std::move(name), .definitions = {definition(kind)}};
  out.controllers = [](const DriverSettings& settings, const std::function<Outside()>&) {
    control::ControllerSpec spec;
    spec.name = settings.own.contains("pace") ? settings.own.at("pace") : "steady";
    return std::vector<control::ControllerSpec>{std::move(spec)};
  };
  out.settings = {{.name = "pace",
                   .doc = "how fast",
                   .standard = "steady",
                   .check = [](std::string_view value) -> Result<void> {
                     if (value == "brisk") return ok();
                     return Error(Fault::Invalid, "not a pace");
                   }}};
  return out;
}

std::vector<Driver> two() { return {driver("etcd", "clusters.etcd"), driver("disks", "disks.d")}; }

std::vector<std::string> parts_of(const DriverChoice& choice) {
  std::vector<std::string> out;
  for (const control::ControllerSpec& spec : all_controllers(choice, two(), {}, {}))
    if (spec.part != "protect") out.push_back(spec.part + " " + spec.name);
  return out;
}

TEST(DriverChoice, RunsThoseThatAreSwitchedOnWithTheirOwnSettings) {
  EXPECT_EQ(parts_of({}), (std::vector<std::string>{"etcd steady", "disks steady"}));
  EXPECT_EQ(parts_of({.drivers = "*,-etcd"}), std::vector<std::string>{"disks steady"});
  EXPECT_EQ(parts_of({.drivers = "etcd", .set = {"etcd.pace=brisk", "disks.pace=brisk"}}),
            std::vector<std::string>{"etcd brisk"});
}

TEST(DriverChoice, RefusesNamesThatNoDriverHas) {
  const Result<void> checked = check_choice({.drivers = "*,-ectd"}, two());

  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().what(), R"(choose drivers "*,-ectd": no driver "ectd")");
  EXPECT_EQ(checked.error().hint(),
            "drivers are etcd, disks; protect, what all of them share, always runs");
}

TEST(DriverChoice, RefusesSettingsThatDoNotParse) {
  for (const char* text :
       {"etcd.pace", "pace=brisk", "none.pace=brisk", "etcd.place=brisk", "etcd.pace=lame"})
    EXPECT_FALSE(check_choice({.set = {text}}, two())) << text;
  EXPECT_TRUE(check_choice({.set = {"etcd.pace=brisk"}}, two()));
}

TEST(DriverChoice, TrustsTheAdministratorsOfADriverUnlessOthersAreChosen) {
  std::vector<Driver> drivers = two();
  drivers[1].admin_namespaces = {"disks-system", "holdfast-system"};
  DriverSettings settings;
  trust_administrators(settings, drivers);

  const std::vector<std::string> trusted{"holdfast-system", "disks-system"};
  EXPECT_EQ(settings.admin_namespaces, trusted);
  EXPECT_EQ(settings.movers.file_namespaces, trusted);
}

TEST(DriverList, RefusesTwoDriversOfOneKindAndNamesBoth) {
  const Result<void> checked = check_drivers({driver("etcd", "a.b"), driver("disks", "a.b")});

  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().what(), "list the drivers: etcd and disks both define a.b");
}

TEST(DriverList, RefusesADriverThatDefinesAKindOfThisRoom) {
  EXPECT_FALSE(check_drivers({driver("etcd", "datamoves.holdfast.dev")}));
  EXPECT_TRUE(check_drivers(two()));
}

}  // namespace
}  // namespace holdfast::protect
