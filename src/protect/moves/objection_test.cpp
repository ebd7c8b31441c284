// Specs of DataMoves that are refused, and the field that each message names.
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
       {"a uid of nothing", [](Spec& s) { s.volume->snapshot_uid = "u"; },
        "spec.volume.volumeSnapshotUID"},
       {"after others", [](Spec& s) { s.expects = {{.snapshot_id = std::string(64, 'a')}}; },
        "spec.expects"},
       {"interval", [](Spec& s) { s.follow = DataMove::Follow{"soon"}; }, "spec.follow.interval"}});
}

Spec of_document(Direction direction) {
  Spec spec;
  spec.direction = direction;
  spec.document = DataMove::Document{.name = "catalogue.json"};
  if (direction == Direction::Backup) spec.document->content = R"({"volumes": []})";
  return spec;
}

TEST(MoveObjection, OfDocuments) {
  check(of_document(Direction::Backup),
        {{"beside a claim", [](Spec& s) { s.volume = DataMove::Volume{.claim = "data"}; },
          "exactly one of"},
         {"a path", [](Spec& s) { s.document->name = "a/b"; }, "spec.document.name"},
         {"upwards", [](Spec& s) { s.document->name = ".."; }, "spec.document.name"},
         {"no name", [](Spec& s) { s.document->name = ""; }, "spec.document.name"},
         {"two lines", [](Spec& s) { s.document->name = "a\nb"; }, "spec.document.name"},
         {"nothing said", [](Spec& s) { s.document->content.reset(); }, "spec.document.content"},
         {"empty", [](Spec& s) { s.document->content = ""; }, ""},
         {"as large as may be", [](Spec& s) { s.document->content->assign(512 << 10, 'x'); }, ""},
         {"too large", [](Spec& s) { s.document->content->assign((512 << 10) + 1, 'x'); },
          "spec.document.content"},
         {"not text", [](Spec& s) { s.document->content = std::string("a\0b", 3); },
          "spec.document.content"},
         {"not UTF-8", [](Spec& s) { s.document->content = "\xff"; }, "spec.document.content"},
         {"lines", [](Spec& s) { s.document->content = "a\tb\r\nc\n"; }, ""},
         {"follow", [](Spec& s) { s.follow = DataMove::Follow{"5m"}; }, "spec.follow"},
         {"after others",
          [](Spec& s) { s.expects = {{.snapshot_id = std::string(64, 'a'), .tags = {"vga=1"}}}; },
          ""},
         {"after no id", [](Spec& s) { s.expects = {{.snapshot_id = "abc"}}; }, "spec.expects"},
         {"all of a tag", [](Spec& s) { s.all_tagged = true; }, "spec.allTagged"},
         {"tags", [](Spec& s) { s.tags = {"vg=shop/db"}; }, ""}});
}

TEST(MoveObjection, OfDocumentsThatAreRestored) {
  Spec good = of_document(Direction::Restore);
  good.find = DataMove::Find{{"vg=shop/db"}, "2026-01-02T03:04:05+01:00", 200};
  check(good, {{"content", [](Spec& s) { s.document->content = "x"; }, "spec.document.content"},
               {"a snapshot too", [](Spec& s) { s.snapshot = "latest"; }, "exactly one of"},
               {"a snapshot instead", [](Spec& s) { s.find.reset(), s.snapshot = "latest"; }, ""},
               {"neither", [](Spec& s) { s.find.reset(); }, "exactly one of"},
               {"any time", [](Spec& s) { s.find->before = ""; }, ""},
               {"no time", [](Spec& s) { s.find->before = "yesterday"; }, "spec.find.before"},
               {"none", [](Spec& s) { s.find->limit = 0; }, "spec.find.limit"},
               {"too many", [](Spec& s) { s.find->limit = 201; }, "spec.find.limit"},
               {"all", [](Spec& s) { s.find->tags.clear(); }, ""},
               {"comma", [](Spec& s) { s.find->tags = {"a,b"}; }, "spec.find.tags"},
               {"tags of its own", [](Spec& s) { s.tags = {"a"}; }, "spec.tags"},
               {"follow", [](Spec& s) { s.follow = DataMove::Follow{"5m"}; }, "spec.follow"}});
  for (Spec other : {of_claim(Direction::Backup), of_claim(Direction::Restore),
                     of_document(Direction::Backup)}) {
    other.find = DataMove::Find{};
    EXPECT_NE(objection(other).find("spec.find"), std::string::npos) << objection(other);
  }
}

TEST(MoveObjection, OfForgetting) {
  const std::string id(64, 'a');
  Spec good;
  good.direction = Direction::Forget;
  good.snapshots = {id, std::string(64, '0')};
  good.tags = {"vg=shop/db"};
  check(good,
        {{"no tag", [](Spec& s) { s.tags.clear(); }, "spec.tags"},
         {"comma", [](Spec& s) { s.tags = {"a,b"}; }, "spec.tags"},
         {"none", [](Spec& s) { s.snapshots.clear(); }, "spec.snapshots"},
         {"all of the tags",
          [](Spec& s) {
            s.snapshots.clear();
            s.all_tagged = true;
          },
          ""},
         {"all, and these", [](Spec& s) { s.all_tagged = true; }, "spec.allTagged"},
         {"expected ones", [](Spec& s) { s.expects = {{.snapshot_id = std::string(64, 'a')}}; },
          "spec.expects"},
         {"a beginning", [](Spec& s) { s.snapshots = {"aaaaaaaa"}; }, "spec.snapshots"},
         {"the newest", [](Spec& s) { s.snapshots = {"latest"}; }, "spec.snapshots"},
         {"too many", [&id](Spec& s) { s.snapshots.assign(1001, id); }, "spec.snapshots"},
         {"one more", [&id](Spec& s) { s.snapshot = id; }, "spec.snapshot"},
         {"a claim", [](Spec& s) { s.volume = DataMove::Volume{.claim = "data"}; }, "spec.volume"},
         {"a document", [](Spec& s) { s.document = DataMove::Document{.name = "a"}; },
          "spec.document"},
         {"found", [](Spec& s) { s.find = DataMove::Find{}; }, "spec.find"},
         {"follow", [](Spec& s) { s.follow = DataMove::Follow{"5m"}; }, "spec.follow"}});
  for (Spec other : {of_claim(Direction::Backup), of_claim(Direction::Restore)}) {
    other.snapshots = {id};
    EXPECT_NE(objection(other).find("spec.snapshots"), std::string::npos) << objection(other);
  }
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
