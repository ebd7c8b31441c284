/// Tables that a real API server (Kubernetes 1.34.4) made, made again by our printers. A line of
/// testdata/recorded.jsonl is {group, version, kind, now, columns: [[name, type, format,
/// priority]], rows: [{cells, conditions?, object}]}; objects are in their stored version and
/// without members that no printer looks at.
#include "kinds/recorded.h"

#include <holdfast/model/time.h>

#include "kinds/resource.h"
#include "tables/table.h"

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::Value;

constexpr const char* kTables = "tables/testdata/recorded.jsonl";

const std::vector<Catalogue::Group>& groups() {
  static const std::vector<Catalogue::Group> groups = builtin_groups();
  return groups;
}

ResourcePtr resource_of(const Value& table) {
  for (const Catalogue::Group& group : groups())
    for (const auto& version : group.versions)
      for (const ResourcePtr& resource : version.resources)
        if (resource->group == model::string_at(table, {"group"}) &&
            resource->version == model::string_at(table, {"version"}) &&
            resource->kind == model::string_at(table, {"kind"}))
          return resource;
  return nullptr;
}

TEST(RecordedTables, EveryStoredKindIsRecorded) {
  size_t stored = 0;
  for (const Catalogue::Group& group : groups())
    for (const auto& version : group.versions)
      for (const ResourcePtr& resource : version.resources)
        if (resource->verbs.size() > 1) ++stored;

  EXPECT_EQ(recorded(kTables).size(), stored);
}

TEST(RecordedTables, ColumnsAreTheRealServers) {
  for (const Value& table : recorded(kTables)) {
    const ResourcePtr resource = resource_of(table);
    ASSERT_NE(resource, nullptr) << model::string_at(table, {"kind"});

    Array columns;
    for (const Value& column : table_columns(*resource))
      columns.emplace_back(Array{*model::find(column, {"name"}), *model::find(column, {"type"}),
                                 *model::find(column, {"format"}),
                                 *model::find(column, {"priority"})});

    EXPECT_EQ(model::to_json(columns), model::to_json(*model::find(table, {"columns"})))
        << resource->kind;
  }
}

TEST(RecordedTables, CellsAndConditionsAreTheRealServers) {
  size_t rows = 0;
  for (const Value& table : recorded(kTables)) {
    const ResourcePtr resource = resource_of(table);
    ASSERT_NE(resource, nullptr);
    const WallTime now = *model::parse_rfc3339(model::string_at(table, {"now"}));
    for (const Value& row : model::array_at(table, {"rows"})) {
      const Value& object = *model::find(row, {"object"});

      const Array cells = table_cells(*resource, object, now);
      const Array conditions = table_conditions(*resource, object);

      EXPECT_EQ(model::to_json(cells), model::to_json(model::array_at(row, {"cells"})));
      EXPECT_EQ(model::to_json(conditions), model::to_json(model::array_at(row, {"conditions"})));
      ++rows;
    }
  }
  EXPECT_GT(rows, 120U);
}

// A bookmark of a watch is such an object.
TEST(Tables, AnEmptyObjectFillsEveryColumn) {
  for (const Value& table : recorded(kTables)) {
    const ResourcePtr resource = resource_of(table);
    ASSERT_NE(resource, nullptr);

    const Array cells = table_cells(*resource, model::Object(), WallTime());

    EXPECT_GE(cells.size(), table_columns(*resource).size()) << resource->kind;
    for (const Value& cell : cells) EXPECT_FALSE(cell.is_null()) << resource->kind;
  }
}

}  // namespace
}  // namespace holdfast::apiserver
