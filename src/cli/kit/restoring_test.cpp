// The flags of restores: what they ask for, and what is said of those that are wrong.
#include <holdfast/cli/restoring.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

struct Restore {
  enum class Conflict { Fail, Rename };
  std::string ns{}, suffix{};
  Conflict conflict = Conflict::Fail;
  std::map<std::string, std::string> storage_classes{};
};
constexpr auto words(Restore::Conflict) {
  return std::array{std::pair{Restore::Conflict::Fail, "Fail"},
                    std::pair{Restore::Conflict::Rename, "Rename"}};
}

struct Source {
  std::optional<protect::Reference> location{};
  std::string id{}, ns{}, before{};
};

TEST(RestoreFlags, BecomeAWish) {
  const auto wish = restore_of<Restore>({.into = "copy",
                                         .conflict = "Rename",
                                         .suffix = "-x",
                                         .storage_classes = {"slow=fast", "a=b=c"}});
  ASSERT_TRUE(wish);
  EXPECT_EQ(wish->ns, "copy");
  EXPECT_EQ(wish->conflict, Restore::Conflict::Rename);
  EXPECT_EQ(wish->suffix, "-x");
  EXPECT_EQ(wish->storage_classes.at("slow"), "fast");
  EXPECT_EQ(wish->storage_classes.at("a"), "b=c");
}

TEST(RestoreFlags, NameWhatIsWrong) {
  EXPECT_EQ(restore_of<Restore>({.suffix = "-x"}).error().what(),
            "--suffix is of --conflict Rename");
  EXPECT_EQ(restore_of<Restore>({.conflict = "Replace"}).error().what(),
            "--conflict Replace: not one of Fail, Rename, Replace")
      << "which this kind does not know";
  for (const char* each : {"fast", "=fast", "slow="})
    EXPECT_EQ(restore_of<Restore>({.storage_classes = {each}}).error().what(),
              fmt::format("--storage-class {}: not OLD=NEW", each));
}

TEST(SourceFlags, BelongToTheNamespaceUnlessTheySay) {
  EXPECT_EQ(subject_of({.subject = "db"}, "shop"), "shop/db");
  const SourceFlags flags{
      .subject = "old/db", .location = "admins/vault", .before = "2026-01-02T03:04:05Z"};
  EXPECT_EQ(subject_of(flags, "shop"), "old/db");
  const auto source = source_of<Source>(flags);
  ASSERT_TRUE(source);
  EXPECT_EQ(source->location->ns, "admins");
  EXPECT_EQ(source->before, "2026-01-02T03:04:05Z");
  EXPECT_FALSE(source_of<Source>({.subject = "db", .before = "yore"}));
}

TEST(SourceFlags, StandInPlaceOfAnObject) {
  const auto names = [](const SourceFlags& flags, std::string_view object) {
    return names_source(flags, object,
                        {.noun = "fleet", .object = "SAIL", .list = "holdfast fleet list"});
  };
  const auto source = names({.subject = "db"}, ""), object = names({}, "db-1");
  ASSERT_TRUE(source && object);
  EXPECT_TRUE(*source);
  EXPECT_FALSE(*object);
  const auto both = names({.subject = "db"}, "db-1");
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().what(), "name SAIL, or a fleet with --from");
  EXPECT_EQ(both.error().hint(),
            "holdfast fleet list, or holdfast fleet list --location NAME, shows them");
  EXPECT_FALSE(names({.id = "u"}, "db-1"));
}

}  // namespace
}  // namespace holdfast::cli
