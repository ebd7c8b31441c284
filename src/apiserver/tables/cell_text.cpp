#include "tables/cell_text.h"

#include <holdfast/base/text.h>
#include <holdfast/model/quantity.h>
#include <holdfast/model/selector.h>

#include "tables/printers.h"

#include <fmt/format.h>

#include <map>

namespace holdfast::apiserver {

using model::Value;

std::string_view name_of(const Value& object) {
  return model::string_at(object, {"metadata", "name"});
}

std::string age_of(const Value& object, WallTime now) {
  return age(model::string_at(object, {"metadata", "creationTimestamp"}), now);
}

std::string_view text_at(const Value& object, Path path, std::string_view otherwise) {
  const Value* found = model::find(object, path);
  return found != nullptr && found->is_string() ? model::view(found->get_string()) : otherwise;
}

std::string_view filled_at(const Value& object, Path path, std::string_view otherwise) {
  const std::string_view text = model::string_at(object, path);
  return text.empty() ? otherwise : text;
}

int64_t count_at(const Value& object, Path path) {
  const Value* found = model::find(object, path);
  if (found == nullptr) return 0;
  if (const model::Array* array = found->if_array()) return static_cast<int64_t>(array->size());
  if (const model::Object* map = found->if_object()) return static_cast<int64_t>(map->size());
  return 0;
}

std::vector<std::string> strings_at(const Value& object, Path path) {
  std::vector<std::string> out;
  for (const Value& each : model::array_at(object, path))
    if (each.is_string()) out.emplace_back(model::view(each.get_string()));
  return out;
}

std::string quantity_at(const Value& object, Path path) {
  const Value* found = model::find(object, path);
  if (found == nullptr || found->is_null()) return "0";
  const std::string text =
      found->is_string() ? std::string(model::view(found->get_string())) : model::to_json(*found);
  const Result<model::Quantity> quantity = model::Quantity::parse(text);
  return quantity ? quantity->text() : text;
}

bool being_deleted(const Value& object) {
  return !model::string_at(object, {"metadata", "deletionTimestamp"}).empty();
}

std::string labels_text(const model::Object& labels) {
  std::map<std::string, std::string> sorted;
  for (const auto& member : labels)
    if (member.value().is_string())
      sorted.emplace(member.key(), model::view(member.value().get_string()));
  std::vector<std::string> parts;
  parts.reserve(sorted.size());
  for (const auto& [key, value] : sorted) parts.push_back(fmt::format("{}={}", key, value));
  return parts.empty() ? "<none>" : join(parts, ",");
}

std::string selector_text(const Value* selector) {
  if (selector == nullptr || selector->is_null()) return "<none>";
  const Result<model::LabelSelector> parsed = model::LabelSelector::from_object(*selector);
  if (!parsed) return "<error>";
  const std::string text = parsed->text();
  return text.empty() ? "<none>" : text;
}

ContainerCells container_cells(const Value& object, Path path) {
  std::vector<std::string> names, images;
  for (const Value& container : model::array_at(object, path)) {
    names.emplace_back(model::string_at(container, {"name"}));
    images.emplace_back(model::string_at(container, {"image"}));
  }
  return {join(names, ","), join(images, ",")};
}

const Value* find_condition(const Value& object, std::string_view type) {
  for (const Value& condition : model::array_at(object, {"status", "conditions"}))
    if (model::string_at(condition, {"type"}) == type) return &condition;
  return nullptr;
}

bool condition_true(const Value& object, std::string_view type) {
  const Value* condition = find_condition(object, type);
  return condition != nullptr && model::string_at(*condition, {"status"}) == "True";
}

std::string shortened(const std::vector<std::string>& all, size_t most,
                      std::string_view separator) {
  if (all.size() <= most) return join(all, separator);
  const std::vector<std::string> shown(all.begin(), all.begin() + static_cast<ptrdiff_t>(most));
  return join(shown, separator) + " + " + std::to_string(all.size() - most) + " more...";
}

}  // namespace holdfast::apiserver
