// Cases that the corpus of recorded requests cannot show: hostile managedFields, names of writers,
// times, types that change.

#include <holdfast/model/apply.h>
#include <holdfast/model/kinds.h>

namespace holdfast::model {
namespace {

Value json(std::string_view text) {
  auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? std::move(parsed->value) : Value();
}

const Schema& config_map() { return *Kinds::builtin().schema({"", "v1", "ConfigMap"}); }

Writer writer(std::string manager, int64_t second = 1, std::string subresource = "") {
  return {.manager = std::move(manager),
          .api_version = "v1",
          .subresource = std::move(subresource),
          .now = WallTime(std::chrono::seconds(second))};
}

std::string fields_of(const Value& object, std::string_view manager) {
  for (const Value& entry : array_at(object, {"metadata", "managedFields"}))
    if (string_at(entry, {"manager"}) == manager) return to_json(*find(entry, {"fieldsV1"}));
  return "";
}

Value created(std::string_view data, std::string manager) {
  Value object =
      json(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","uid":"u"}})");
  object.as_object()["data"] = json(data);
  track_update(Value(), object, config_map(), writer(std::move(manager)), {});
  return object;
}

TEST(TrackUpdate, EveryWriterOwnsWhatItChanged) {
  const Value live = created(R"({"a":"1","b":"2"})", "one");
  Value object = live;
  find(object, {"data"})->as_object()["b"] = "3";

  track_update(live, object, config_map(), writer("two", 5), {});

  EXPECT_EQ(fields_of(object, "one"), R"({"f:data":{".":{},"f:a":{}}})");
  EXPECT_EQ(fields_of(object, "two"), R"({"f:data":{"f:b":{}}})");
  EXPECT_EQ(string_at(array_at(object, {"metadata", "managedFields"})[0], {"time"}),
            "1970-01-01T00:00:01Z");
  EXPECT_EQ(string_at(array_at(object, {"metadata", "managedFields"})[1], {"time"}),
            "1970-01-01T00:00:05Z");
}

TEST(TrackUpdate, AWriteThatChangesNothingLeavesOwnersAlone) {
  const Value live = created(R"({"a":"1"})", "one");
  Value object = live;

  track_update(live, object, config_map(), writer("two", 5), {});

  EXPECT_TRUE(equal(live, object));
}

TEST(TrackUpdate, GarbageFromTheClientFallsBackToLiveOwners) {
  const Value live = created(R"({"a":"1"})", "one");
  for (
      const char* garbage :
      {R"([{"manager":5}])", R"([null])", R"("x")", R"([{"operation":"Update"}])",
       R"([{"operation":"Delete","apiVersion":"v1","fieldsType":"FieldsV1"}])",
       R"([{"operation":"Update","apiVersion":"v1","fieldsType":"FieldsV2","fieldsV1":{}}])",
       R"([{"operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":[]}}])",
       R"([{"operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"k:{":{}}}])"}) {
    Value object = live;
    find(object, {"metadata"})->as_object()["managedFields"] = json(garbage);

    track_update(live, object, config_map(), writer("two", 5), {});

    EXPECT_EQ(fields_of(object, "one"), R"({"f:data":{".":{},"f:a":{}}})") << garbage;
  }
}

TEST(TrackUpdate, AnItemWithoutItsKeyCostsTheOwnersButNotTheWrite) {
  Value object = json(
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","finalizers":[null],"managedFields":[]}})");

  track_update(Value(), object, config_map(), writer("one"), {});

  EXPECT_EQ(find(object, {"metadata", "managedFields"}), nullptr);
  EXPECT_NE(find(object, {"metadata", "finalizers"}), nullptr);
}

TEST(TrackUpdate, ItemsThatShareAKeyAreOwnedAsOne) {
  const Schema& pod = *Kinds::builtin().schema({"", "v1", "Pod"});
  Value object = json(
      R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","env":[{"name":"A","value":"1"},{"name":"A","value":"2"}]}]}})");

  track_update(Value(), object, pod, writer("one"), {});

  EXPECT_EQ(
      fields_of(object, "one"),
      R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:env":{".":{},"k:{\"name\":\"A\"}":{}},"f:name":{}}}}})");
}

TEST(TrackUpdate, WhatIsWrittenThroughScaleHasNoTime) {
  const Schema& deployment = *Kinds::builtin().schema({"apps", "v1", "Deployment"});
  Value live = json(
      R"({"metadata":{"name":"d","uid":"u","managedFields":[{"manager":"m","operation":"Update","apiVersion":"apps/v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{},"f:paused":{}}}}]},"spec":{"replicas":1,"paused":true}})");
  Value object = live;
  find(object, {"spec"})->as_object()["replicas"] = 2;
  Writer by_scale = writer("kubectl", 5, "scale");
  by_scale.api_version = "apps/v1";

  track_update(live, object, deployment, by_scale, {});

  EXPECT_EQ(fields_of(object, "m"), R"({"f:spec":{"f:paused":{}}})");
  EXPECT_EQ(
      to_json(array_at(object, {"metadata", "managedFields"})[0]),
      R"({"manager":"kubectl","operation":"Update","apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}},"subresource":"scale"})");
}

TEST(TrackUpdate, FieldsBelowWhatHasBecomeAtomicCountForTheWhole) {
  const Schema& deployment = *Kinds::builtin().schema({"apps", "v1", "Deployment"});
  Value live = json(
      R"({"metadata":{"name":"d","uid":"u","managedFields":[{"manager":"m","operation":"Update","apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:selector":{"f:matchLabels":{"f:a":{}}},"f:paused":{}}}}]},"spec":{"selector":{"matchLabels":{"a":"b"}},"paused":true}})");
  Value object = live;
  find(object, {"spec"})->as_object()["paused"] = false;
  Writer w = writer("n", 5);
  w.api_version = "apps/v1";

  track_update(live, object, deployment, w, {});

  EXPECT_EQ(fields_of(object, "m"), R"({"f:spec":{"f:selector":{}}})");
}

TEST(KeepTimes, GivesOldTimesBackOnlyIfNothingElseChanged) {
  const Value live = created(R"({"a":"1"})", "one");
  Value same = live;
  find(same, {"metadata", "managedFields"})->as_array()[0].as_object()["time"] =
      "2030-01-01T00:00:00Z";
  Value changed = same;
  find(changed, {"data"})->as_object()["a"] = "2";

  keep_times_if_unchanged(live, same);
  keep_times_if_unchanged(live, changed);

  EXPECT_TRUE(equal(same, live));
  EXPECT_EQ(string_at(array_at(changed, {"metadata", "managedFields"})[0], {"time"}),
            "2030-01-01T00:00:00Z");
}

TEST(ApplyConfig, RefusesAnotherKindOrVersion) {
  const char* const configs[][2] = {
      {R"({"apiVersion":"v1","kind":"Secret"})", "invalid object type: /v1, Kind=Secret"},
      {R"({"apiVersion":"a/v2","kind":"ConfigMap"})", "invalid object type: a/v2, Kind=ConfigMap"},
      {R"({})", "invalid object type: /, Kind="},
      {R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"managedFields":[{}]}})",
       "metadata.managedFields must be nil"}};
  for (const auto& [config, message] : configs) {
    auto result = apply_config(Value(), json(config), config_map(), writer("m"), false);

    ASSERT_FALSE(result) << config;
    EXPECT_EQ(result.error().code, 400);
    EXPECT_EQ(result.error().message, message);
  }
}

TEST(ApplyConfig, SaysWhichOwnersOfTheLiveObjectItCannotRead) {
  Value live = created(R"({"a":"1"})", "one");
  find(live, {"metadata"})->as_object()["managedFields"] = json(R"([{"operation":"Nope"}])");

  auto result = apply_config(live, json(R"({"apiVersion":"v1","kind":"ConfigMap"})"), config_map(),
                             writer("m"), false);

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message,
            "failed to decode managed fields: operation must be `Apply` or `Update`");
}

TEST(UserAgent, GivesTheNameBeforeTheSlash) {
  EXPECT_EQ(manager_from_user_agent("kubectl/v1.34.4 (linux/amd64)"), "kubectl");
  EXPECT_EQ(manager_from_user_agent("curl"), "curl");
  EXPECT_EQ(manager_from_user_agent(""), "");
  EXPECT_EQ(manager_from_user_agent("a\x01\tb\xc3\xa9/1"), "ab\xc3\xa9");
  EXPECT_EQ(manager_from_user_agent("\xff"), "\xef\xbf\xbd");
  EXPECT_EQ(manager_from_user_agent(std::string(200, 'x')).size(), 128U);
  EXPECT_EQ(manager_from_user_agent(std::string(127, 'x') + "\xc3\xa9").size(), 127U);
}

TEST(ManagedFields, AreCheckedInTheWordsOfTheRealServer) {
  const Value entries = json(
      R"([{"operation":"Update","fieldsType":"FieldsV1","manager":"ok"},{"operation":"x","fieldsType":"y","manager":"a\u0007"}])");

  const FieldErrors errors = validate_managed_fields(entries, "metadata.managedFields");

  ASSERT_EQ(errors.size(), 3U);
  EXPECT_EQ(
      errors[0].text(),
      "metadata.managedFields[1].operation: Invalid value: \"x\": must be `Apply` or `Update`");
  EXPECT_EQ(errors[1].text(),
            "metadata.managedFields[1].fieldsType: Invalid value: \"y\": must be `FieldsV1`");
  EXPECT_EQ(errors[2].text(),
            "metadata.managedFields[1].manager: Invalid value: \"a\\a\": invalid character U+0007 "
            "(at position 1)");
}

}  // namespace
}  // namespace holdfast::model
