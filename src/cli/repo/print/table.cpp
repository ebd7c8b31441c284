#include "repo/print/table.h"

#include <holdfast/base/text.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

/// Continuation bytes of UTF-8 take no column.
size_t width_of(const std::string& text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string line_of(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string out;
  for (size_t i = 0; i < cells.size(); ++i) {
    out += cells[i];
    if (i + 1 < cells.size()) out.append(widths[i] - width_of(cells[i]) + 2, ' ');
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + '\n';
}

}  // namespace

void Table::row(std::vector<std::vector<std::string>> cells) {
  for (auto& cell : cells)
    for (std::string& line : cell) line = harmless_line(line);
  rows_.push_back(std::move(cells));
}

std::string Table::text(const std::string& footer) const {
  std::vector<size_t> widths;
  for (const std::string& heading : headings_) widths.push_back(width_of(heading));
  for (const auto& row : rows_)
    for (size_t i = 0; i < row.size(); ++i)
      for (const std::string& line : row[i]) widths[i] = std::max(widths[i], width_of(line));
  size_t whole = 2 * (widths.size() - 1);
  for (const size_t width : widths) whole += width;
  const std::string rule = std::string(whole, '-') + '\n';
  std::string out = line_of(headings_, widths) + rule;
  for (const auto& row : rows_) {
    size_t height = 1;
    for (const auto& cell : row) height = std::max(height, cell.size());
    for (size_t at = 0; at < height; ++at) {
      std::vector<std::string> line;
      line.reserve(row.size());
      for (const auto& cell : row) line.push_back(at < cell.size() ? cell[at] : "");
      out += line_of(line, widths);
    }
  }
  return out + rule + footer;
}

}  // namespace holdfast::cli
