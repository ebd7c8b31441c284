#include <holdfast/control/operation.h>

namespace holdfast::control {

std::optional<OperationRecord> find_operation(const model::Value& object, std::string_view name) {
  for (const auto& item : model::array_at(object, {"status", "operations"})) {
    if (model::string_at(item, {"name"}) != name) continue;
    OperationRecord record;
    const auto read = model::field_type<OperationRecord>().decode(&record, item, "");
    // A record that we cannot read was not written by us: no intent of ours stands there.
    if (!read) return {};
    return record;
  }
  return {};
}

model::Value with_operation(const model::Value& object, const OperationRecord& record) {
  model::Array operations;
  for (const auto& item : model::array_at(object, {"status", "operations"}))
    if (model::string_at(item, {"name"}) != record.name) operations.push_back(item);
  model::Value written;
  model::field_type<OperationRecord>().encode(&record, written);
  operations.push_back(std::move(written));
  model::Value merge;
  model::ensure_object(merge, {"status"})["operations"] = std::move(operations);
  return merge;
}

}  // namespace holdfast::control
