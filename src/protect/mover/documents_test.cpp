// Documents of a real repository: what is there comes back, and nothing is read that is too large.
#include "mover/documents.h"

#include <holdfast/model/time.h>

#include "documents/document.h"
#include "mover/repository_test.h"

namespace holdfast::protect {
namespace {

using Documents = RepositoryTest;

TEST_F(Documents, ComeBackAsTheyWere) {
  for (const std::string& text :
       {std::string(), std::string("{}\n"), std::string(kMostDocument, 'x')}) {
    const Result<std::string> read = read_document(*index_, store("a.json", text), "a.json");
    ASSERT_TRUE(read) << read.error().what();
    EXPECT_EQ(*read, text);
  }
}

TEST_F(Documents, WhatIsNoneIsToldSoWithTheSnapshot) {
  struct Case {
    std::string name, text;
    Fault fault;
    std::string says;
  };
  SeededRandom noise(3);
  for (const Case& each : {Case{"b.json", "{}", Fault::NotFound, "/a.json"},
                           Case{"a.json", std::string(kMostDocument + 1, 'x'), Fault::Invalid,
                                "larger than 524288 bytes"},
                           Case{"a.json", noise.bytes(1000), Fault::Invalid, "not text"}}) {
    const repo::Snapshot snapshot = store(each.name, each.text);
    const Result<std::string> read = read_document(*index_, snapshot, "a.json");
    ASSERT_FALSE(read) << each.says;
    EXPECT_EQ(read.error().fault(), each.fault);
    EXPECT_NE(read.error().what().find(each.says), std::string::npos) << read.error().what();
    EXPECT_NE(read.error().what().find(snapshot.id.hex()), std::string::npos);
  }
}

TEST_F(Documents, AreFoundByAllTheirTagsTheNewestFirst) {
  const repo::Snapshot first = store("a.json", "1", {"vg=x", "t"});
  store("a.json", "other", {"vg=y", "t"});
  store("a.json", "half", {"vg=x"});
  const repo::Snapshot second = store("a.json", "2", {"t", "vg=x", "more"});
  store("b.json", "3", {"vg=x", "t"});
  MoveTask task;
  task.document = "a.json";
  task.find = data_move::Find{{"vg=x", "t"}, "", 20};
  const auto contents = [&] {
    std::vector<std::string> out;
    const Result<FoundDocuments> found = find_documents(*index_, task);
    if (!found) return std::vector{std::string(found.error().what())};
    for (const data_move::FoundDocument& each : found->documents)
      out.push_back(each.content.value_or("error"));
    return out;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(contents(), (Texts{"error", "2", "1"})) << "one that has no such file is told so";
  task.find->limit = 2;
  EXPECT_EQ(contents(), (Texts{"error", "2"}));
  task.find->before = model::to_rfc3339(second.time);
  EXPECT_EQ(contents(), (Texts{"2", "1"}));
  task.find->before = model::to_rfc3339(first.time);
  EXPECT_EQ(contents(), (Texts{"1"}));
  task.find->before = "2000-01-01T00:00:00Z";
  EXPECT_EQ(contents(), Texts{});
  task.find.reset();
  task.snapshot = first.id.hex();
  const Result<FoundDocuments> one = find_documents(*index_, task);
  ASSERT_TRUE(one) << one.error().what();
  ASSERT_EQ(one->documents.size(), 1U);
  EXPECT_EQ(one->documents[0].snapshot_id, first.id.hex());
  EXPECT_EQ(one->documents[0].time, model::to_rfc3339(first.time));
  EXPECT_EQ(one->documents[0].content, "1");
  task.snapshot = std::string(64, '0');
  EXPECT_EQ(find_documents(*index_, task).error().fault(), Fault::NotFound);
}

TEST_F(Documents, ThatDoNotFitAreLeftOutAndToldSo) {
  for (int i = 0; i < 4; ++i) store("a.json", std::string(kMostDocument / 3, 'x'), {"t"});
  MoveTask task;
  task.document = "a.json";
  task.find = data_move::Find{{"t"}, "", 20};
  const Result<FoundDocuments> found = find_documents(*index_, task);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->documents.size(), 3U);
  EXPECT_TRUE(found->truncated);
  EXPECT_EQ(model::array_at(model::Value(status_of(*found)), {"documents"}).size(), 3U);
  EXPECT_TRUE(model::bool_at(model::Value(status_of(*found)), {"documentsTruncated"}, false));
  task.find->limit = 3;
  EXPECT_FALSE(find_documents(*index_, task)->truncated);
}

}  // namespace
}  // namespace holdfast::protect
