#include <holdfast/base/text.h>
#include <holdfast/cli/sheet.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

/// Continuation bytes of UTF-8 take no column.
size_t width_of(std::string_view text) {
  return size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string aligned(std::vector<std::vector<std::string>> rows, std::vector<size_t>& remembered,
                    size_t least, size_t padding) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = harmless_line(cell);
    // The last cell of a line is not closed, so it is as wide as it is.
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      if (remembered.size() <= i) remembered.resize(i + 1, least);
      remembered[i] = std::max(remembered[i], width_of(row[i]) + padding);
    }
  }
  std::string out;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(remembered[i] - width_of(row[i]), ' ');
    }
    out += '\n';
  }
  return out;
}

void Sheet::entry(std::string_view name, std::string_view value) {
  entries_.emplace_back(fmt::format("{}:", harmless(name)),
                        value.empty() ? "<none>" : harmless(value));
}

void Sheet::entry_if(std::string_view name, std::string_view value) {
  if (!value.empty()) entry(name, value);
}

void Sheet::flush() {
  size_t widest = 0;
  for (const auto& [name, value] : entries_) widest = std::max(widest, name.size());
  for (const auto& [name, value] : entries_) {
    const std::string margin(widest + 2, ' ');
    bool first = true;
    for (const std::string_view line : split(value, '\n')) {
      out_ += first ? name + margin.substr(name.size()) : margin;
      out_ += line;
      out_ += '\n';
      first = false;
    }
  }
  entries_.clear();
}

void Sheet::table(std::string_view name, const std::vector<std::string>& headings,
                  const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) {
    entry(name, "");
    flush();
    return;
  }
  flush();
  std::vector<std::vector<std::string>> all{headings, {}};
  for (const std::string& heading : headings) all[1].emplace_back(heading.size(), '-');
  for (const auto& row : rows) {
    all.emplace_back();
    for (const std::string& cell : row) {
      std::string line = harmless(trim(cell));
      std::replace(line.begin(), line.end(), '\n', ' ');
      all.back().push_back(std::move(line));
    }
  }
  std::vector<size_t> widths;
  block(name, aligned(all, widths, 0, 2));
}

void Sheet::block(std::string_view name, std::string_view lines) {
  flush();
  out_ += fmt::format("{}:\n", harmless(name));
  if (lines.ends_with('\n')) lines.remove_suffix(1);
  for (const std::string_view line : split(lines, '\n')) out_ += fmt::format("  {}\n", line);
}

std::string Sheet::text() {
  flush();
  return std::move(out_);
}

}  // namespace holdfast::cli
