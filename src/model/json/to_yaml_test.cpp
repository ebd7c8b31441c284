#include <holdfast/model/yaml.h>

#include <gtest/gtest.h>

namespace holdfast::model {
namespace {

TEST(ToYaml, ReadsBackAsTheSameValue) {
  const char* texts[] = {
      R"({"a":"yes","b":"0x10","c":"1.5","d":"null","e":"~","f":"a: b","g":"- x","h":" x","i":""})",
      R"({"list":[1,"two",{"a":[],"b":{}},[["deep"]],null,true],"empty":{},"quote":"it's \"so\""})",
      R"([{"a":1,"b":[{"c":2}]},"x\ny","2026-01-02","12:30","#no","a #b","{}","*","&a","!t"])",
      R"({"on":1,"1":2,"a b":3,"k:":4,"":5,"key/with.dots":"spec.keep: at least 2"})",
      R"("plain text")",
      R"([])",
      R"({})",
      R"(3)"};
  for (const char* text : texts) {
    const Value value = parse_json(text)->value;

    const std::string yaml = to_yaml(value);

    const Result<Parsed> back = parse_yaml(yaml);
    ASSERT_TRUE(back) << yaml << back.error().what();
    EXPECT_TRUE(equal(back->value, value)) << yaml << to_json(back->value);
  }
}

TEST(ToYaml, LooksAsPeopleWriteIt) {
  const Value value =
      parse_json(R"({"kind":"Role","rules":[{"verbs":["get"],"count":1}],"spec":{"a":{"b":"no"}}})")
          ->value;

  EXPECT_EQ(to_yaml(value),
            "kind: Role\n"
            "rules:\n"
            "- verbs:\n"
            "  - get\n"
            "  count: 1\n"
            "spec:\n"
            "  a:\n"
            "    b: \"no\"\n");
}

}  // namespace
}  // namespace holdfast::model
