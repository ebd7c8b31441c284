/// The server's own tables as kubectl lays them out: columns three spaces apart, at least six wide.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/model/json.h>

#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

struct TableStyle {
  bool wide = false;        ///< columns of a lesser priority too
  bool namespaces = false;  ///< with a first column for them
  bool headings = true;
  std::string prefix{};  ///< before each name: "pod/"; "" = none
};

/// One table, perhaps told in parts: what comes later keeps the widths of what came before.
class TableText {
 public:
  explicit TableText(TableStyle style) : style_(std::move(style)) {}
  /// The lines of a meta.k8s.io Table, with headings before the first row ever. Parts that come
  /// without columns, as a watch has them, have those of the first.
  std::string lines(const model::Value& table);

 private:
  using Row = std::vector<std::string>;
  Row row_of(const model::Value& row) const;
  void take_columns(const model::Value& table);

  const TableStyle style_;
  struct Column {
    std::string heading{};
    bool shown = true;
  };
  std::vector<Column> columns_;
  std::vector<size_t> widths_;
  bool headed_ = false;
};

/// Adds the rows of a further part.
void append_rows(model::Value& table, const model::Value& more);

/// A Table of names and ages, for a server that gives objects where tables were asked for.
model::Value plain_table(const model::Value& answer, WallTime now);

}  // namespace holdfast::cli
