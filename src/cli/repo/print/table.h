/// A table for people: columns as wide as their widest cell.
#pragma once

#include <string>
#include <vector>

namespace holdfast::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  /// A cell may have several lines.
  void row(std::vector<std::vector<std::string>> cells) { rows_.push_back(std::move(cells)); }
  /// With a line above and below the rows, and `footer` last.
  std::string text(const std::string& footer) const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::vector<std::string>>> rows_;
};

}  // namespace holdfast::cli
