/// Reading of the table of built-in kinds into shapes. The grammar stands at the head of
/// kinds.table.
#pragma once

#include <holdfast/model/schema.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace holdfast::model {

/// The bytes of kinds.table, which live as long as the process.
std::string_view kinds_table();

/// Fills an arena with the shapes of a table. The text must outlive the arena: Go names point into
/// it.
class TableReader {
 public:
  TableReader(std::string_view text, SchemaArena& arena) : text_(text), arena_(arena) {}

  struct Kind {
    std::string group, version, kind;
    const Shape* shape;
  };
  /// Invalid, with the line, for a table that does not follow the grammar.
  Result<std::vector<Kind>> read();

 private:
  using Words = std::vector<std::string_view>;
  Result<void> name_shapes();
  Result<void> begin_shape(const Words& words);
  Result<void> add_field(const Words& words);
  Result<void> add_word(Field& field, Shape& shape, std::string_view word);
  void add_enum(Schema& schema, std::string_view values);
  Result<Schema> type_of(std::string_view word);
  Result<const Schema*> element(std::string_view word);
  Result<Kind> kind_of(const Words& words) const;
  void settle_map_types();

  std::string_view text_;
  SchemaArena& arena_;
  std::unordered_map<std::string_view, std::string_view> packages_;
  std::unordered_map<std::string_view, Shape*> shapes_;
  std::unordered_map<std::string_view, const Schema*> elements_;  ///< one schema per type word
  std::unordered_map<const Shape*, MapType> map_types_;
  Shape* current_ = nullptr;
};

}  // namespace holdfast::model
