#include "tables/table.h"

#include <holdfast/model/time.h>

#include "crd/json_path.h"
#include "tables/cell_text.h"
#include "tables/printers.h"

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::Object;
using model::Value;

Value definition(std::string_view name, std::string_view type, std::string_view format,
                 std::string_view description, int64_t priority) {
  return Object{{"name", name},
                {"type", type},
                {"format", format},
                {"description", description},
                {"priority", priority}};
}

// A custom kind without columns of its own shows its age, as every kind does somehow.
const std::vector<PrinterColumn>& custom_columns(const Resource& resource) {
  static const std::vector<PrinterColumn> age = {
      {"Age", "date", "", "When the object was created, on the server's clock.",
       ".metadata.creationTimestamp", 0}};
  return resource.columns.empty() ? age : resource.columns;
}

// Without one (a bookmark's empty object) it is Go's zero time.
std::string_view creation(const Value& object) {
  return filled_at(object, {"metadata", "creationTimestamp"}, "0001-01-01T00:00:00Z");
}

}  // namespace

std::string age(std::string_view timestamp, WallTime now) {
  const std::optional<WallTime> then = model::parse_rfc3339(timestamp);
  return then ? model::human_duration(now - *then) : "<unknown>";
}

Array table_columns(const Resource& resource) {
  Array columns{
      definition("Name", "string", "name", "The object's name, unique in its namespace.", 0)};
  if (resource.is_custom()) {
    for (const PrinterColumn& column : custom_columns(resource))
      columns.push_back(
          definition(column.name, column.type, column.format, column.description, column.priority));
    return columns;
  }
  const Printer* printer = find_printer(resource.group, resource.kind);
  if (printer == nullptr) {
    columns.push_back(definition("Created At", "date", "",
                                 "When the object was created, on the server's clock.", 0));
    return columns;
  }
  columns.clear();
  for (const Column& column : printer->columns)
    columns.push_back(definition(column.name, column.type, column.format, "", column.priority));
  return columns;
}

Array table_cells(const Resource& resource, const Value& object, WallTime now) {
  Array cells;
  if (resource.is_custom()) {
    cells.emplace_back(model::string_at(object, {"metadata", "name"}));
    for (const PrinterColumn& column : custom_columns(resource)) {
      const Result<JsonPath> path = JsonPath::parse(column.json_path);
      cells.push_back(path ? column_cell(*path, column.type, object, now) : Value());
    }
    return cells;
  }
  if (const Printer* printer = find_printer(resource.group, resource.kind)) {
    printer->cells(object, now, cells);
    return cells;
  }
  cells.emplace_back(model::string_at(object, {"metadata", "name"}));
  cells.emplace_back(creation(object));
  return cells;
}

Array table_conditions(const Resource& resource, const Value& object) {
  if (resource.kind != "Pod" || !resource.group.empty()) return {};
  const std::string_view phase = model::string_at(object, {"status", "phase"});
  if (phase != "Succeeded" && phase != "Failed") return {};
  const std::string_view message =
      phase == "Failed" ? "The pod failed." : "The pod has completed successfully.";
  return {
      Object{{"type", "Completed"}, {"status", "True"}, {"reason", phase}, {"message", message}}};
}

}  // namespace holdfast::apiserver
