/// Expired versions: the answers to clients that ask for versions no longer kept.
#include <holdfast/base/bytes.h>

#include "suite.h"
#include "target.h"

#include <regex>

namespace holdfast::suite {
namespace {

constexpr const char* kListGone =
    "410 Expired: The resourceVersion for the provided list is too old.";

class Expiry : public Case {
 protected:
  void SetUp() override {
    choose(Subject::Forgetful);
    Case::SetUp();
  }
  void TearDown() override {
    Case::TearDown();
    choose(Subject::Usual);
  }
  std::string make_page(const std::string& name) {
    return make_map(name, ", labels: {page: x}").at("metadata/resourceVersion");
  }
  /// Returns when the state at that version can no longer be listed; something must have been
  /// written since.
  Reply forget(const std::string& version) {
    compact();
    return await("$CM?resourceVersionMatch=Exact&resourceVersion=" + version,
                 [](const Reply& reply) { return reply.code != 200; });
  }
  static model::Value token_of(const Reply& reply) {
    const auto text = from_base64url(reply.at("metadata/continue"));
    Result<model::Parsed> parsed = model::parse_json(text.value_or("not base64url"));
    return parsed ? parsed->value : model::Value();
  }
};

TEST_F(Expiry, ExactVersionIsGone) {
  const std::string old = make_page("a");
  make_page("b");
  const Reply gone = forget(old);
  EXPECT_EQ(gone.failure(), kListGone);
  EXPECT_EQ(gone.at("metadata"), "{}");
  EXPECT_EQ(gone.at("details"), "");
  EXPECT_EQ(get("$CM?limit=1&resourceVersion=" + old).failure(), kListGone);
  EXPECT_EQ(get("$CM?labelSelector=page&resourceVersion=" + old).items(), "a b");
  EXPECT_EQ(get("$CM/a?resourceVersion=" + old).at("metadata/resourceVersion"), old);
}

TEST_F(Expiry, TokenIsReplacedByAnInconsistentOne) {
  for (const char* name : {"a", "b", "c", "d"}) make_page(name);
  const Reply first = get("$CM?limit=2&labelSelector=page");
  make_page("bb");
  make_page("e");
  del("$CM/c");
  forget(first.at("metadata/resourceVersion"));

  const Reply gone =
      get("$CM?limit=2&labelSelector=page&continue=" + first.at("metadata/continue"));
  EXPECT_EQ(
      gone.failure(),
      "410 Expired: The provided continue parameter is too old to display a consistent list "
      "result. You can start a new list without the continue parameter, or use the continue token "
      "in this response to retrieve the remainder of the results. Continuing with the provided "
      "token results in an inconsistent list - objects that were created, modified, or deleted "
      "between the time the first chunk was returned and now may show up in the list.");
  EXPECT_EQ(value_at(token_of(gone), "rv"), "-1");
  EXPECT_EQ(value_at(token_of(gone), "start"), std::string("b\0", 2));

  const Reply second =
      get("$CM?limit=2&labelSelector=page&continue=" + gone.at("metadata/continue"));
  EXPECT_EQ(second.items(), "bb d");
  EXPECT_EQ(value_at(token_of(second), "rv"), second.at("metadata/resourceVersion"));
  EXPECT_EQ(get("$CM?labelSelector=page&continue=" + gone.at("metadata/continue")).items(),
            "bb d e");
}

TEST_F(Expiry, WatchIsToldToListAgain) {
  const std::string old = make_page("a");
  // The real server's cache of a kind begins when the kind is first served.
  make_widgets("{type: object}");
  compact();
  const Reply told = await("$W?watch=true&timeoutSeconds=1&resourceVersion=" + old,
                           [](const Reply& reply) { return !reply.body.empty(); });
  EXPECT_EQ(told.code, 200);
  EXPECT_EQ(told.at("type"), "ERROR") << told.body;
  EXPECT_EQ(told.at("object/code"), "410");
  EXPECT_EQ(told.at("object/kind"), "Status");
  EXPECT_EQ(told.at("object/reason"), "Expired");
  EXPECT_EQ(told.at("object/metadata"), "{}");
  EXPECT_TRUE(std::regex_match(told.at("object/message"),
                               std::regex("too old resource version: " + old + " \\([0-9]+\\)")))
      << told.body;
}

TEST_F(Expiry, InitialEventsNeedNoHistory) {
  const std::string old = make_page("a");
  make_page("b");
  forget(old);
  EXPECT_EQ(told(watch("$CM?labelSelector=page&sendInitialEvents=true&allowWatchBookmarks=true&"
                       "resourceVersionMatch=NotOlderThan&resourceVersion=" +
                           old,
                       3)),
            "ADDED a, ADDED b, BOOKMARK ");
}

}  // namespace
}  // namespace holdfast::suite
