#include "objects/table_text.h"

#include <holdfast/cli/object_text.h>

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

model::Value json(std::string_view text) { return model::parse_json(text).take().value; }

constexpr const char* kPods = R"({"kind":"Table","columnDefinitions":[
    {"name":"Name","priority":0},{"name":"Ready","priority":0},{"name":"Restarts","priority":0},
    {"name":"IP","priority":1},{"name":"Note","priority":0}],
  "rows":[
    {"cells":["web","1/1",12,"10.0.0.1",null],"object":{"metadata":{"namespace":"shop"}}},
    {"cells":["database-0","0/1",0,null,"two\nlines"],"object":{"metadata":{"namespace":"x"}}}]})";

TEST(TableText, LooksAsKubectlLaysItOut) {
  TableText table({});
  EXPECT_EQ(table.lines(json(kPods)),
            "NAME         READY   RESTARTS   NOTE\n"
            "web          1/1     12         \n"
            "database-0   0/1     0          two...\n");
}

TEST(TableText, ShowsMoreWhenAskedTo) {
  TableText table({.wide = true, .namespaces = true, .prefix = "pod/"});
  EXPECT_EQ(table.lines(json(kPods)),
            "NAMESPACE   NAME             READY   RESTARTS   IP         NOTE\n"
            "shop        pod/web          1/1     12         10.0.0.1   \n"
            "x           pod/database-0   0/1     0                     two...\n");
}

TEST(TableText, WhatComesLaterKeepsTheWidths) {
  TableText table({});
  table.lines(json(kPods));
  EXPECT_EQ(table.lines(json(R"({"rows":[{"cells":["a","b",1,"","c"]}]})")),
            "a            b       1          c\n");
  EXPECT_EQ(table.lines(json(R"({"rows":[{"cells":["much-longer-name","b",1,"","c"]}]})")),
            "much-longer-name   b       1          c\n");
  TableText bare({.headings = false});
  EXPECT_EQ(bare.lines(json(R"({"columnDefinitions":[{"name":"A"}],"rows":[]})")), "");
  EXPECT_EQ(bare.lines(json(R"({"rows":[{"cells":["a"]}]})")), "a\n");
}

TEST(TableText, CellsCannotSteerTheTerminal) {
  TableText table({.headings = false});
  EXPECT_EQ(table.lines(json(R"({"columnDefinitions":[{"name":"A"},{"name":"B"}],
                                 "rows":[{"cells":["\u001b[2Jx\ty","ü"]}]})")),
            "^[[2Jx y   ü\n");
}

TEST(TableText, ObjectsOfAServerWithoutTablesHaveNamesAndAges) {
  const WallTime now{std::chrono::seconds(1'700'000'060)};
  const model::Value object =
      json(R"({"metadata":{"name":"a","creationTimestamp":"2023-11-14T22:13:20Z"}})");
  TableText one({}), many({});
  EXPECT_EQ(one.lines(plain_table(object, now)), "NAME   AGE\na      60s\n");
  EXPECT_EQ(many.lines(plain_table(model::Object{{"items", model::Array{object, object}}}, now)),
            "NAME   AGE\na      60s\na      60s\n");
}

TEST(ObjectText, IsSortedAndWithoutBookkeeping) {
  const model::Value shown = shown_object(json(R"({"kind":"A","b":{"d":[{"z":1,"y":2}],"c":"<"},
                            "metadata":{"name":"n","managedFields":[{}]}})"));
  EXPECT_EQ(model::to_json(shown),
            model::to_json(json(R"({"b":{"c":"<","d":[{"y":2,"z":1}]},"kind":"A",
                                    "metadata":{"name":"n"}})")));
  EXPECT_EQ(object_text(json(R"({"a":{"b":[]}})"), OutputForm::Json),
            "{\n    \"a\": {\n        \"b\": []\n    }\n}\n");
  EXPECT_EQ(object_text(json(R"({"a":1})"), OutputForm::Yaml), "a: 1\n");
  EXPECT_EQ(readable_yaml(json(R"({"a":"x <&> \\u003c \"\u003c\""})")),
            "a: \"x <&> \\\\u003c \\\"<\\\"\"\n");
  EXPECT_FALSE(output_form("xml"));
  EXPECT_EQ(*output_form("wide"), OutputForm::Wide);
}

}  // namespace
}  // namespace holdfast::cli
