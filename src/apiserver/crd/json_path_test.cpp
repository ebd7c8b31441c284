#include "crd/json_path.h"

#include <holdfast/model/time.h>

namespace holdfast::apiserver {
namespace {

using model::Value;

const Value& sample() {
  static const Value value = model::parse_json(R"({
    "metadata":{"annotations":{"example.com/x":"noted"},"creationTimestamp":"2026-01-02T03:04:05Z"},
    "spec":{"replicas":3,"ratio":0.5,"big":12345678.5,"on":true,"nothing":null,"map":{"b":1,"a":[1,"x"]},
      "ports":[{"name":"a","port":1},{"name":"b","port":2},{"name":"c","port":3}]},
    "status":{"conditions":[{"type":"Old","status":"False"},{"type":"Ready","status":"True"}]}})")
                                 ->value;
  return value;
}

/// All values found, as a JSON list; "invalid: …" if the path fails.
std::string found(std::string_view path) {
  auto parsed = JsonPath::parse(path);
  if (!parsed) return "unparsable";
  auto values = parsed->find(sample());
  if (!values) return "invalid";
  model::Array out;
  for (const Value* value : *values) out.push_back(*value);
  return model::to_json(out);
}

TEST(JsonPath, FollowsMembers) {
  EXPECT_EQ(found(".spec.replicas"), "[3]");
  EXPECT_EQ(found("$.spec.replicas"), "[3]");
  EXPECT_EQ(found(".spec.absent.deep"), "[]");
  EXPECT_EQ(found(R"(.metadata.annotations.example\.com/x)"), R"(["noted"])");
  EXPECT_EQ(found(R"(.metadata.annotations['example\.com/x'])"), R"(["noted"])");
}

TEST(JsonPath, PicksElements) {
  EXPECT_EQ(found(".spec.ports[0].name"), R"(["a"])");
  EXPECT_EQ(found(".spec.ports[-1].name"), R"(["c"])");
  EXPECT_EQ(found(".spec.ports[0:2].name"), R"(["a","b"])");
  EXPECT_EQ(found(".spec.ports[::2].name"), R"(["a","c"])");
  EXPECT_EQ(found(".spec.ports[*].port"), "[1,2,3]");
  EXPECT_EQ(found(".spec.ports[0,2].port"), "[1,3]");
  EXPECT_EQ(found(".spec.ports[7]"), "invalid");
  EXPECT_EQ(found(".spec.replicas[0]"), "invalid");
}

TEST(JsonPath, FiltersElements) {
  EXPECT_EQ(found(R"(.status.conditions[?(@.type=="Ready")].status)"), R"(["True"])");
  EXPECT_EQ(found(R"(.status.conditions[?(@.type=='Ready')].status)"), R"(["True"])");
  EXPECT_EQ(found(R"(.status.conditions[?(@.type == "None")].status)"), "[]");
  EXPECT_EQ(found(".spec.ports[?(@.port>1)].name"), R"(["b","c"])");
  EXPECT_EQ(found(".spec.ports[?(@.port != 2)].name"), R"(["a","c"])");
  EXPECT_EQ(found(".spec.ports[?(@.absent)].name"), "[]");
  EXPECT_EQ(found(R"(.spec.ports[?(@.port=="1")].name)"), "invalid");
}

TEST(JsonPath, DescendsAndSpreads) {
  EXPECT_EQ(found("..port"), "[1,2,3]");
  EXPECT_EQ(found(".spec.map.*"), R"([1,[1,"x"]])");
}

TEST(JsonPath, RefusesWhatItCannotRead) {
  EXPECT_EQ(found(".spec[x"), "unparsable");
  EXPECT_EQ(found(".spec[x]"), "unparsable");
  EXPECT_EQ(found(".spec[?(@.a"), "unparsable");
  EXPECT_EQ(found("(.spec)"), "unparsable");
  EXPECT_EQ(found(".a....b"), "unparsable");
}

std::string cell(std::string_view path, std::string_view type) {
  return model::to_json(column_cell(*JsonPath::parse(path), type, sample(),
                                    *model::parse_rfc3339("2026-01-02T05:04:05Z")));
}

TEST(ColumnCell, ShowsAnyValueAsText) {
  EXPECT_EQ(cell(".spec.replicas", "string"), R"("3")");
  EXPECT_EQ(cell(".spec.on", "string"), R"("true")");
  EXPECT_EQ(cell(".spec.big", "string"), R"("1.23456785e+07")");
  EXPECT_EQ(cell(".spec.map", "string"), R"("{\"a\":[1,\"x\"],\"b\":1}")");
  EXPECT_EQ(cell(".spec.absent", "string"), "null");
}

TEST(ColumnCell, KeepsToTheColumnsType) {
  EXPECT_EQ(cell(".spec.replicas", "integer"), "3");
  EXPECT_EQ(cell(".spec.ratio", "integer"), "0");
  EXPECT_EQ(cell(".spec.ratio", "number"), "0.5");
  EXPECT_EQ(cell(".spec.on", "integer"), "null");
  EXPECT_EQ(cell(".spec.on", "boolean"), "true");
  EXPECT_EQ(cell(".metadata.creationTimestamp", "date"), R"("120m")");
  EXPECT_EQ(cell(".status.conditions[0].type", "date"), R"("\u003cinvalid\u003e")");
  EXPECT_EQ(cell(".spec.ports[9]", "string"), "null");
}

TEST(SimplePath, ReadsTheValueOfASelector) {
  EXPECT_EQ(selectable_value(sample(), ".spec.replicas"), "3");
  EXPECT_EQ(selectable_value(sample(), ".spec.on"), "true");
  EXPECT_EQ(selectable_value(sample(), "spec.absent"), "");
  EXPECT_EQ(selectable_value(sample(), ".spec.map"), "");
}

}  // namespace
}  // namespace holdfast::apiserver
