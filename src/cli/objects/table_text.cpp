#include "objects/table_text.h"

#include <holdfast/base/text.h>
#include <holdfast/cli/sheet.h>
#include <holdfast/model/time.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

using model::Array;
using model::Object;
using model::Value;

std::string to_upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = char(c - 'a' + 'A');
  return out;
}

/// Only the first line, and nothing that could steer a terminal.
std::string cell_text(const Value& cell) {
  if (cell.is_null()) return "";
  if (!cell.is_string()) return model::to_json(cell);
  const std::string_view text = model::view(cell.get_string());
  const size_t end = std::min(text.find_first_of("\f\n\r"), text.size());
  std::string out;
  for (const char c : text.substr(0, end)) {
    if (c == '\x1b')
      out += "^[";
    else
      out += c == '\t' ? ' ' : c;
  }
  if (end < text.size()) out += "...";
  return out;
}

}  // namespace

void TableText::take_columns(const Value& table) {
  const Array& definitions = model::array_at(table, {"columnDefinitions"});
  if (definitions.empty()) return;
  columns_.clear();
  for (const Value& column : definitions)
    columns_.push_back({to_upper(model::string_at(column, {"name"})),
                        style_.wide || model::int_at(column, {"priority"}, 0) == 0});
}

TableText::Row TableText::row_of(const Value& row) const {
  Row out;
  if (style_.namespaces)
    out.emplace_back(model::string_at(row, {"object", "metadata", "namespace"}));
  const Array& cells = model::array_at(row, {"cells"});
  for (size_t i = 0; i < cells.size() && i < columns_.size(); ++i) {
    if (!columns_[i].shown) continue;
    std::string text = cell_text(cells[i]);
    if (i == 0) text = style_.prefix + text;
    out.push_back(std::move(text));
  }
  return out;
}

std::string TableText::lines(const Value& table) {
  take_columns(table);
  std::vector<Row> rows;
  if (!headed_ && style_.headings) {
    Row headings;
    if (style_.namespaces) headings.emplace_back("NAMESPACE");
    for (const Column& column : columns_)
      if (column.shown) headings.push_back(column.heading);
    rows.push_back(std::move(headings));
  }
  const Array& told = model::array_at(table, {"rows"});
  if (told.empty()) return "";
  headed_ = true;
  for (const Value& row : told) rows.push_back(row_of(row));
  return aligned(rows, widths_);
}

void append_rows(Value& table, const Value& more) {
  if (!table.is_object()) table = Object();
  Value& rows = table.get_object()["rows"];
  if (!rows.is_array()) rows = Array();
  for (const Value& row : model::array_at(more, {"rows"})) rows.get_array().push_back(row);
}

Value plain_table(const Value& answer, WallTime now) {
  Array rows;
  const auto add = [&](const Value& object) {
    const auto created =
        model::parse_rfc3339(model::string_at(object, {"metadata", "creationTimestamp"}));
    const std::string age = created ? model::human_duration(now - *created) : "<unknown>";
    rows.push_back(
        Object{{"cells", Array{Value(model::string_at(object, {"metadata", "name"})), Value(age)}},
               {"object", Object{{"metadata", model::object_at(object, {"metadata"})}}}});
  };
  if (model::find(answer, {"items"}) != nullptr)
    for (const Value& item : model::array_at(answer, {"items"})) add(item);
  else
    add(answer);
  return Object{
      {"kind", "Table"},
      {"metadata", model::object_at(answer, {"metadata"})},
      {"columnDefinitions", Array{Value(Object{{"name", "Name"}}), Value(Object{{"name", "Age"}})}},
      {"rows", std::move(rows)}};
}

}  // namespace holdfast::cli
