/// Text about one thing: names with their values in a column, tables and longer texts below a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

class Sheet {
 public:
  /// A value may have several lines; an empty one is "<none>".
  void entry(std::string_view name, std::string_view value);
  /// The same, only if there is a value.
  void entry_if(std::string_view name, std::string_view value);
  /// Rows below a name; "<none>" without any.
  void table(std::string_view name, const std::vector<std::string>& headings,
             const std::vector<std::vector<std::string>>& rows);
  /// Lines below a name, two spaces deeper.
  void block(std::string_view name, std::string_view lines);

  std::string text();

 private:
  void flush();
  std::vector<std::pair<std::string, std::string>> entries_;  ///< not yet written: one column
  std::string out_;
};

/// Columns kept apart as in a table of kubectl's; rows may be shorter than others. What would steer
/// a terminal is written out. `remembered` are the least widths, and grow.
std::string aligned(std::vector<std::vector<std::string>> rows, std::vector<size_t>& remembered,
                    size_t least = 6, size_t padding = 3);

}  // namespace holdfast::cli
