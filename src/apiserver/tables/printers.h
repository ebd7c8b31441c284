/// How built-in kinds print themselves: columns and cells as the real server's printers give them.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/model/json.h>

#include <string_view>
#include <vector>

namespace holdfast::apiserver {

struct Column {
  std::string_view name;
  std::string_view type = "string";
  std::string_view format = "";
  int priority = 0;  ///< 1 = only with -o wide
};

struct Printer {
  std::string_view group, kind;
  std::vector<Column> columns;
  void (*cells)(const model::Value& object, WallTime now, model::Array& cells);
};

/// Null: the kind prints Name and Created At only.
const Printer* find_printer(std::string_view group, std::string_view kind);

/// "5d", "<unknown>": the age cell from a timestamp text.
std::string age(std::string_view timestamp, WallTime now);

}  // namespace holdfast::apiserver
