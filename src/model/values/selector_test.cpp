#include <holdfast/model/selector.h>

#include <boost/json/object.hpp>

namespace holdfast::model {
namespace {

bool matches(std::string_view selector, const Labels& labels) {
  const auto parsed = LabelSelector::parse(selector);
  EXPECT_TRUE(parsed) << selector;
  return parsed && parsed->matches(labels);
}

std::string error_of(std::string_view selector) {
  const auto parsed = LabelSelector::parse(selector);
  EXPECT_FALSE(parsed) << selector;
  return parsed ? "" : parsed.error().what();
}

TEST(LabelSelector, MatchesByEachOperator) {
  const Labels labels{{"app", "web"}, {"n", "5"}, {"tier", "front"}};

  EXPECT_TRUE(matches("", labels));
  EXPECT_TRUE(matches("app=web,tier==front", labels));
  EXPECT_FALSE(matches("app=web,tier=back", labels));
  EXPECT_TRUE(matches("app!=x,none!=x", labels));
  EXPECT_TRUE(matches("app in (a, web),tier notin (x)", labels));
  EXPECT_TRUE(matches("none notin (x)", labels));
  EXPECT_FALSE(matches("none in (x)", labels));
  EXPECT_TRUE(matches("app,!none", labels));
  EXPECT_TRUE(matches("n>4,n<6", labels));
  EXPECT_FALSE(matches("app>4", labels));
  EXPECT_FALSE(matches("none<4", labels));
}

TEST(LabelSelector, PrintsKeysSortedAsItWasSaid) {
  EXPECT_EQ(LabelSelector::parse("z in (b,a), !y,x, w!=1,v=2 ,u notin (q)")->text(),
            "u notin (q),v=2,w!=1,x,!y,z in (a,b)");
  EXPECT_TRUE(LabelSelector::parse(" ")->empty());
  EXPECT_EQ(LabelSelector::parse("in in (in,notin,)")->text(), "in in (,in,notin)");
}

TEST(LabelSelector, RefusesInApimachinerysWords) {
  EXPECT_EQ(error_of("a,"), "found '', expected: identifier after ','");
  EXPECT_EQ(error_of("=a"), "found '=', expected: !, identifier, or 'end of string'");
  EXPECT_EQ(error_of("a b"),
            "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt");
  EXPECT_EQ(error_of("a in x"), "unable to parse requirement: found 'x' expected: '('");
  EXPECT_EQ(
      error_of("a>b"),
      "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, "
      "the value must be an integer");
  EXPECT_EQ(error_of("a_!b"),
            "unable to parse requirement: <nil>: Invalid value: \"a_\": name part must consist of "
            "alphanumeric "
            "characters, '-', '_' or '.', and must start and end with an alphanumeric character "
            "(e.g. 'MyName',  or "
            "'my.name',  or '123-abc', regex used for validation is "
            "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')");
  EXPECT_EQ(error_of("a=-b").substr(0, 70),
            "unable to parse requirement: values[0][a]: Invalid value: \"-b\": a vali");
}

TEST(LabelSelector, ReadsTheObjectForm) {
  const auto read = [](std::string_view json) {
    return LabelSelector::from_object(parse_json(json)->value);
  };

  const auto both = read(R"({"matchLabels":{"b":"1","a":"2"},"matchExpressions":[
      {"key":"c","operator":"In","values":["y","x"]},{"key":"d","operator":"DoesNotExist"}]})");

  ASSERT_TRUE(both);
  EXPECT_EQ(both->text(), "a=2,b=1,c in (x,y),!d");
  EXPECT_TRUE(read("{}")->matches({}));
  EXPECT_FALSE(read("null")->matches({}));
  EXPECT_FALSE(read("null")->empty());
  EXPECT_EQ(read(R"({"matchExpressions":[{"key":"c","operator":"in"}]})").error().what(),
            "\"in\" is not a valid label selector operator");
  EXPECT_EQ(read(R"({"matchExpressions":[{"key":"c","operator":"In"}]})").error().what(),
            "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty");
}

TEST(FieldSelector, ReadsEscapesAndMatches) {
  const auto selector = FieldSelector::parse(R"(metadata.name=a\,b\=c\\,spec.nodeName!=x,)");
  const auto value_of = [](std::string_view field) -> std::string {
    return field == "metadata.name" ? "a,b=c\\" : "y";
  };

  ASSERT_TRUE(selector);
  ASSERT_EQ(selector->terms().size(), 2u);
  EXPECT_EQ(selector->terms()[0].value, "a,b=c\\");
  EXPECT_FALSE(selector->terms()[1].equal);
  EXPECT_TRUE(selector->matches(value_of));
  EXPECT_FALSE(FieldSelector::parse("spec.nodeName==x")->matches(value_of));
  EXPECT_TRUE(FieldSelector::parse("")->empty());
}

TEST(FieldSelector, RefusesInApimachinerysWords) {
  EXPECT_EQ(FieldSelector::parse("a").error().what(),
            "invalid selector: 'a'; can't understand 'a'");
  EXPECT_EQ(FieldSelector::parse("a=b=c").error().what(),
            "invalid field selector: unescaped character in value: 61");
  EXPECT_EQ(FieldSelector::parse("a=\\x").error().what(),
            "invalid field selector: invalid escape sequence: \\x");
  EXPECT_EQ(FieldSelector::parse("a=\\").error().what(),
            "invalid field selector: invalid escape sequence: \\");
}

}  // namespace
}  // namespace holdfast::model
