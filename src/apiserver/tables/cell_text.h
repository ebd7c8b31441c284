/// The pieces of text that cells of several kinds share.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/model/json.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::apiserver {

using Path = std::initializer_list<std::string_view>;

/// Appends the cells of a row, each of the JSON type it is given as.
template <class... Cells>
void add_cells(model::Array& row, Cells&&... cells) {
  (row.emplace_back(std::forward<Cells>(cells)), ...);
}

std::string_view name_of(const model::Value& object);
/// The age cell of the object itself.
std::string age_of(const model::Value& object, WallTime now);
/// The string there, or `otherwise` when it is absent. An empty string that is there stays empty.
std::string_view text_at(const model::Value& object, Path path, std::string_view otherwise);
/// The string there, or `otherwise` when it is absent or empty.
std::string_view filled_at(const model::Value& object, Path path, std::string_view otherwise);
/// How many items stand there.
int64_t count_at(const model::Value& object, Path path);
/// The strings of an array.
std::vector<std::string> strings_at(const model::Value& object, Path path);
/// Canonical text; an absent quantity is "0".
std::string quantity_at(const model::Value& object, Path path);
bool being_deleted(const model::Value& object);

/// "a=1,b=2" in the order of keys; "<none>" without labels.
std::string labels_text(const model::Object& labels);
/// The text of a label selector object; "<none>" when it says nothing.
std::string selector_text(const model::Value* selector);

struct ContainerCells {
  std::string names, images;
};
/// "app,sidecar" of the containers at `path`.
ContainerCells container_cells(const model::Value& object, Path path);

/// The first condition of that type, or null.
const model::Value* find_condition(const model::Value& object, std::string_view type);
/// Whether the first condition of that type has status "True".
bool condition_true(const model::Value& object, std::string_view type);

/// The first `most` of `all`, joined, with " + 2 more..." after them if some were left off.
std::string shortened(const std::vector<std::string>& all, size_t most, std::string_view separator);

}  // namespace holdfast::apiserver
