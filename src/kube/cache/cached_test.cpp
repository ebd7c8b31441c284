#include <holdfast/kube/cached.h>

#include "cache/object_reader.h"
#include "cache/scanner.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::kube {
namespace {

Cached cached(std::string_view text) {
  auto made = Cached::from_text(text);
  EXPECT_TRUE(made) << (made ? "" : made.error().what());
  return made ? made.take() : Cached();
}

TEST(Cached, KeepsTheTextAndWhatEveryLookupNeeds) {
  const std::string text =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"shop","uid":"u-1",)"
      R"("resourceVersion":"42"},"spec":{"x":[1,-2.5e3,true,null,"é\"\\\u00e9"]}})";

  const Cached object = cached(text);

  EXPECT_EQ(object.ns(), "shop");
  EXPECT_EQ(object.name(), "a");
  EXPECT_EQ(object.uid(), "u-1");
  EXPECT_EQ(object.version(), 42u);
  EXPECT_EQ(object.text(), text);
  EXPECT_FALSE(object.being_deleted());
  EXPECT_TRUE(model::equal(object.value(), model::parse_json(text)->value));
  EXPECT_EQ(key_of(object).text(), "shop/a");
  EXPECT_LE(object.memory(), text.size() + 48);
}

TEST(Cached, SharedValuesAreParsedOnceAndForgottenInTime) {
  const auto object = [](int number, size_t size) {
    return cached(
        fmt::format(R"({{"metadata":{{"name":"a{}"}},"x":"{}"}})", number, std::string(size, 'x')));
  };
  const Cached first = object(0, 10), same_text = object(0, 10);

  const auto value = first.shared_value();
  EXPECT_TRUE(model::equal(*value, first.value()));
  EXPECT_EQ(first.shared_value(), value);
  EXPECT_EQ(Cached(first).shared_value(), value);
  EXPECT_NE(same_text.shared_value(), value) << "another version of an object is another object";

  // An object as large as many others is parsed anew each time, and drives nothing out.
  const Cached large = object(1, 100'000);
  EXPECT_NE(large.shared_value(), large.shared_value());
  EXPECT_EQ(first.shared_value(), value);

  for (int i = 2; i < 80; ++i) object(i, 10).shared_value();
  EXPECT_NE(first.shared_value(), value);
  EXPECT_EQ(*Cached().shared_value(), model::Value());
}

TEST(Cached, LeavesOutManagedFieldsWhereverTheyStand) {
  const std::string fields = R"("managedFields":[{"manager":"m","fieldsV1":{"f:a":{"}":"]"}}}])";
  const std::string name = R"("name":"a")", uid = R"("uid":"u")";
  const auto object = [](const std::string& metadata) {
    return R"({"metadata":{)" + metadata + R"(},"z":1})";
  };

  EXPECT_EQ(cached(object(fields + "," + name + "," + uid)).text(), object(name + "," + uid));
  EXPECT_EQ(cached(object(name + "," + fields + "," + uid)).text(), object(name + "," + uid));
  EXPECT_EQ(cached(object(name + "," + uid + "," + fields)).text(), object(name + "," + uid));
  const Cached behind = cached(object(fields + "," + name + "," + uid));
  EXPECT_EQ(behind.name(), "a");
  EXPECT_EQ(behind.uid(), "u");
  EXPECT_EQ(behind.metadata(), "{" + name + "," + uid + "}");
  // Elsewhere the word has no such meaning.
  const std::string spec = R"({"metadata":{"name":"a"},"spec":{"managedFields":[1]}})";
  EXPECT_EQ(cached(spec).text(), spec);
}

TEST(Cached, MinifiesWhatIsNot) {
  const Cached object = cached(
      "\n{ \"metadata\" : {\r\n\t\"managedFields\" : [ ] , \"name\":\"a b\" } , \"x\" : [ 1 , {} ] "
      "}\n");

  EXPECT_EQ(object.text(), R"({"metadata":{"name":"a b"},"x":[1,{}]})");
  EXPECT_EQ(object.name(), "a b");
}

TEST(Cached, ReadsEscapesAndRepeatsAsAnyParserWould) {
  const Cached escaped = cached(R"({"met\u0061data":{"n\u0061me":"\u0061","uid":"x\/y"}})");
  EXPECT_EQ(escaped.name(), "a");
  EXPECT_EQ(escaped.uid(), "x/y");
  const Cached repeated = cached(R"({"metadata":{"name":"a"},"metadata":{"name":"b","name":"c"}})");
  EXPECT_EQ(repeated.name(), "c");
  EXPECT_EQ(model::string_at(repeated.value(), {"metadata", "name"}), "c");
}

TEST(Cached, MetaEqualsThatOfTheWholeObject) {
  const std::string text =
      R"({"kind":"Pod","metadata":{"annotations":{"x":"{\"name\":\"no\"}"},)"
      R"("deletionTimestamp":"2026-01-02T03:04:05Z","finalizers":["a/b","c"],"generation":7,)"
      R"("labels":{"b":"2","a":"\"1\""},"name":"n","namespace":"s","ownerReferences":[)"
      R"({"apiVersion":"apps/v1","blockOwnerDeletion":true,"controller":true,"kind":"K","name":"o",)"
      R"("uid":"ou"},{"apiVersion":"v1","kind":"L","name":"p","uid":"pu"}],"resourceVersion":"9",)"
      R"("uid":"u"}})";
  const Cached object = cached(text);

  const model::Meta seen = object.meta();
  const model::Meta expected = model::meta_of(model::parse_json(text)->value);

  EXPECT_TRUE(object.being_deleted());
  EXPECT_EQ(seen.ns, expected.ns);
  EXPECT_EQ(seen.name, expected.name);
  EXPECT_EQ(seen.uid, expected.uid);
  EXPECT_EQ(seen.resource_version, expected.resource_version);
  EXPECT_EQ(seen.deletion_timestamp, expected.deletion_timestamp);
  EXPECT_EQ(seen.generation, expected.generation);
  EXPECT_EQ(seen.finalizers, expected.finalizers);
  EXPECT_EQ(object.labels(), seen.labels);
  EXPECT_EQ(seen.labels, (model::Labels{{"a", "\"1\""}, {"b", "2"}}));
  ASSERT_EQ(seen.owners.size(), expected.owners.size());
  for (size_t i = 0; i < seen.owners.size(); ++i) {
    EXPECT_EQ(seen.owners[i].api_version, expected.owners[i].api_version);
    EXPECT_EQ(seen.owners[i].kind, expected.owners[i].kind);
    EXPECT_EQ(seen.owners[i].name, expected.owners[i].name);
    EXPECT_EQ(seen.owners[i].uid, expected.owners[i].uid);
    EXPECT_EQ(seen.owners[i].controller, expected.owners[i].controller);
    EXPECT_EQ(seen.owners[i].block_owner_deletion, expected.owners[i].block_owner_deletion);
  }
}

TEST(Cached, RefusesWhatIsNoNamedObject) {
  for (const std::string_view text : {"",
                                      "{",
                                      "[]",
                                      "1",
                                      "{}",
                                      R"({"metadata":{}})",
                                      R"({"metadata":{"name":""}})",
                                      R"({"metadata":{"name":5}})",
                                      R"({"metadata":{"name":"a"})",
                                      R"({"metadata":{"name":"a"}}})",
                                      R"({"metadata":{"name":"a"},"x":[1}})",
                                      R"({"metadata":{"name":"a"},"x":01})",
                                      R"({"metadata":{"name":"a"},"x":tru})",
                                      R"({"metadata":{"name":"a"},"x":"\x"})",
                                      R"({"metadata":{"name":"a"},"x":"\u12"})",
                                      R"({"metadata":{"name":"a"},})",
                                      R"({"metadata":{"name":"a"},"x":1e999})",
                                      R"({"metadata":{"name":"a"},"x":1.})",
                                      R"({"metadata":{"name":"a"} "x":1})",
                                      R"({"metadata":{"name":"a\nb"}})",
                                      "{\"metadata\":{\"name\":\"a\"},\"x\":\"\n\"}",
                                      R"({"metadata":{"name":"a"},"x":"abcdefgh)"})
    EXPECT_EQ(Cached::from_text(text).error().fault(), Fault::Invalid) << text;
}

TEST(Cached, RefusesNestingThatNoReaderTakes) {
  const auto nested = [](size_t depth) {
    return R"({"metadata":{"name":"a"},"x":)" + std::string(depth, '[') + std::string(depth, ']') +
           "}";
  };

  EXPECT_TRUE(cached(nested(900)).value().is_object());
  EXPECT_FALSE(Cached::from_text(nested(2000)));
  EXPECT_FALSE(Cached::from_text(nested(2000000)));
}

TEST(Cached, SharesOneAllocation) {
  Cached a = cached(R"({"metadata":{"name":"a"}})");
  const Cached b = a;
  const char* const text = a.text().data();

  a = Cached();

  EXPECT_FALSE(a);
  EXPECT_EQ(b.text().data(), text);
  EXPECT_EQ(Cached().text(), "");
  EXPECT_EQ(Cached().version(), 0u);
}

TEST(ObjectReader, AddsTheTypeThatListsLeaveOut) {
  const ObjectReader reader("apps/v1", "Deployment");
  const auto read = [&](std::string_view text) {
    Scanner scan(text);
    return std::string(reader.read(scan)->text());
  };

  EXPECT_EQ(read(R"({"metadata":{"managedFields":[],"name":"a"},"spec":1})"),
            R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"a"},"spec":1})");
  EXPECT_EQ(read(R"({"kind":"X","apiVersion":"y","metadata":{"name":"a"}})"),
            R"({"kind":"X","apiVersion":"y","metadata":{"name":"a"}})");
}

}  // namespace
}  // namespace holdfast::kube
