/// A table for people: columns as wide as their widest cell.
#pragma once

#include <string>
#include <vector>

namespace holdfast::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> headings) : headings_(std::move(headings)) {}
  /// A cell may have several lines. What would steer a terminal is written out.
  void row(std::vector<std::vector<std::string>> cells);
  /// With a line above and below the rows, and `footer` last.
  std::string text(const std::string& footer) const;

 private:
  std::vector<std::string> headings_;
  std::vector<std::vector<std::vector<std::string>>> rows_;
};

}  // namespace holdfast::cli
